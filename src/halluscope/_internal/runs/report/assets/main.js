// A report that is a file: its data stands in the page.

import { byId } from "./dom.js";
import { showReport } from "./report.js";
import { openStore } from "./store.js";
import { startTheme } from "./theme.js";

async function start() {
  startTheme();
  if (typeof DecompressionStream === "undefined") {
    byId("loading").textContent = "This browser is too old to open the report: it lacks DecompressionStream.";
    return;
  }
  showReport(await openStore());
}

start()
  .catch((error) => {
    byId("loading")?.replaceChildren(`The report could not be opened: ${error.message}`);
    throw error;
  })
  .finally(() => {
    document.documentElement.dataset.ready = "true";
  });
