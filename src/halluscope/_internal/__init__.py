"""All of halluscope, but for what it shows: import from `halluscope` and the modules beside this folder."""
