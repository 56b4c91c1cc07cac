// Light or dark: as the system says, until the reader says otherwise.

import { byId } from "./dom.js";

const KEY = "halluscope-theme";

/** A page opened from a file or inside a frame may have no storage: then the choice lasts as long as the page. */
function remembered(value) {
  try {
    if (value === undefined) return localStorage.getItem(KEY);
    localStorage.setItem(KEY, value);
  } catch {
    return null;
  }
  return value;
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function show() {
  const button = byId("theme");
  button.textContent = isDark() ? "☀" : "☾";
  button.title = isDark() ? "Light (t)" : "Dark (t)";
}

export function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  remembered(document.documentElement.dataset.theme);
  show();
}

export function startTheme() {
  const kept = remembered();
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  byId("theme").addEventListener("click", toggleTheme);
  show();
}
