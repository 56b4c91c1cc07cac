// Asking the server. Where it wants a token the reader is asked for it, once for as long as the tab is open.

import { h } from "./dom.js";

const KEY = "halluscope-token";

export class Refused extends Error {
  constructor(status, message, wait = 0) {
    super(message);
    this.status = status;
    this.wait = wait;
  }
}

function headers(more) {
  const token = sessionStorage.getItem(KEY);
  return token ? { ...more, authorization: `Bearer ${token}` } : more;
}

/** The server's answer to a request; an answer that is no success is raised, in the server's words. */
export async function ask(path, { body, accept, signal } = {}) {
  const sent = { ...(body ? { "content-type": "application/json" } : {}), ...(accept ? { accept } : {}) };
  for (;;) {
    const response = await fetch(path, {
      method: body ? "POST" : "GET",
      headers: headers(sent),
      body: body ? JSON.stringify(body) : undefined,
      signal,
    });
    if (response.ok) return response;
    const told = await response.json().catch(() => null);
    const message = told?.error?.message ?? `The server answered with status ${response.status}.`;
    if (response.status !== 401) throw new Refused(response.status, message, Number(response.headers.get("retry-after")));
    sessionStorage.setItem(KEY, await tokenFrom(sessionStorage.getItem(KEY) !== null));
  }
}

export async function askJson(path, options) {
  return (await ask(path, options)).json();
}

/** The values of an answer that comes line by line, each as soon as it is there. */
export async function* lines(response) {
  let rest = "";
  for await (const text of texts(response.body)) {
    const parts = (rest + text).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part) yield JSON.parse(part);
  }
}

async function* texts(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

let asking = null;

/** Several requests may find out at once that a token is wanted: the reader is asked once. */
function tokenFrom(wrong) {
  asking ??= new Promise((resolve) => {
    const field = h("input", { type: "password", class: "field", autocomplete: "off", required: true, "aria-label": "Token" });
    const form = h(
      "form",
      { method: "dialog" },
      h("h2", {}, "This server wants a token"),
      h("p", { class: "faint" }, wrong ? "The one that was sent is not right." : "It stays in this tab, until the tab is closed."),
      field,
      h("button", { class: "primary" }, "Go on"),
    );
    const dialog = h("dialog", { class: "shortcuts token" }, form);
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.addEventListener("close", () => {
      dialog.remove();
      asking = null;
      resolve(field.value.trim());
    });
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
