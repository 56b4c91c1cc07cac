// A run that is kept, read in the server's page: its report is fetched, and shown by the report's own components.

import { ask } from "./api.js";
import { byId } from "./dom.js";
import { showReport } from "./report.js";
import { openStore } from "./store.js";
import { startTheme } from "./theme.js";

const BLOCK = /<script type="text\/plain" id="([\w-]+)">([^<]*)<\/script>/g;

async function start() {
  startTheme();
  const asked = new URLSearchParams(location.search);
  const baseline = asked.get("baseline");
  const query = baseline ? `?${new URLSearchParams({ baseline })}` : "";
  const response = await ask(`/v1/runs/${encodeURIComponent(asked.get("run") ?? "")}/report${query}`);
  // The file is only where the data stands: nothing of it but its blocks is looked at.
  const blocks = new Map([...(await response.text()).matchAll(BLOCK)].map(([, id, packed]) => [id, packed]));
  showReport(await openStore((id) => blocks.get(id)));
}

start()
  .catch((error) => {
    byId("loading")?.replaceChildren(`The run could not be opened: ${error.message}`);
    throw error;
  })
  .finally(() => {
    document.documentElement.dataset.ready = "true";
  });
