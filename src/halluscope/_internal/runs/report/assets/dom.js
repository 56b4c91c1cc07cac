// Building elements. Text only ever enters the page as text: nothing here takes markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; a function as an attribute named on… listens for that event. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for drawings. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The element with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Whether the reader is writing somewhere, so that letters are letters and no shortcuts. */
export function isTyping(target) {
  return target instanceof HTMLElement && target.matches("input:not([type=range]), textarea, select");
}

/** Tell a reader who listens instead of looking. */
export function speak(text) {
  byId("spoken").textContent = text;
}

/** Scrolling that respects a reader who asked for less motion. */
export function bringIntoView(element, block = "nearest") {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block, behavior: calm ? "auto" : "smooth" });
}
