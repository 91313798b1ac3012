/** Python in a worker: starts, runs the tests, gives hints, and says when the student's code begins and ends. */

import { loadPyodide } from "pyodide";
import { type Lesson, SLOWER } from "./lesson";
import glue from "./run.py";

/** What run.py offers. */
interface Runner {
  run(texts: string, ended: string, slower: number, tell: (what: string, name: string) => void): string;
  hint(texts: string, number: number, counts: string): string;
}

let runner: Runner;

async function start(base: string, { files, kit, download }: Lesson) {
  const whole = Object.values(download).reduce((sum, size) => sum + size, 0);
  let loaded = 0;
  const count = (part: Uint8Array, to: TransformStreamDefaultController) => {
    loaded += part.length;
    postMessage({ progress: (0.5 * loaded) / whole });
    to.enqueue(part);
  };
  const fetched: Record<string, ArrayBuffer> = {};
  for (const name of Object.keys(download)) {
    const { ok, status, body } = await fetch(base + name); // the browser keeps it; Pyodide then finds it there
    if (!ok || !body) throw new Error(`${name} cannot be loaded (${status})`);
    fetched[name] = await new Response(body.pipeThrough(new TransformStream({ transform: count }))).arrayBuffer();
  }
  const python = await loadPyodide({ indexURL: `${base}pyodide/` });
  postMessage({ progress: 0.7 });
  python.unpackArchive(fetched["pytest.zip"] as ArrayBuffer, "zip", { extractDir: "/site" });
  python.FS.writeFile("/site/run_exercise.py", glue);
  for (const [path, text] of Object.entries({ ...kit, ...files })) {
    python.FS.mkdirTree(`/exercise/${path}`.replace(/\/[^/]*$/, ""));
    python.FS.writeFile(`/exercise/${path}`, text);
  }
  python.runPython("import sys; sys.path.insert(0, '/site')");
  runner = python.pyimport("run_exercise") as Runner;
  postMessage({ progress: 0.85 });
  runner.run("{}", "{}", SLOWER, () => {}); // so that the student's first run is a quick one
  postMessage({ ready: true });
}

addEventListener("message", async ({ data }) => {
  const texts = JSON.stringify(data.texts);
  try {
    if (data.lesson) await start(data.base, data.lesson);
    else if (data.number) postMessage({ hint: JSON.parse(runner.hint(texts, data.number, data.counts)) });
    else {
      const tell = (what: string, name: string) => postMessage({ at: what && { what, name } });
      postMessage({ findings: JSON.parse(runner.run(texts, JSON.stringify(data.ended), SLOWER, tell)) });
    }
  } catch (error) {
    postMessage({ fault: String(error) });
  }
});
