/** Build everything of the page that is the same for every exercise, into dist/. */

import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const PYODIDE = "node_modules/pyodide";

await rm("dist", { recursive: true, force: true });
await mkdir("dist/pyodide", { recursive: true });
await build({
  entryPoints: ["src/page.ts", "src/worker.ts", "src/sw.ts"],
  outdir: "dist",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  loader: { ".py": "text" },
  external: ["node:*"], // Pyodide asks for these under Node only
  legalComments: "linked",
});
for (const name of ["index.html", "page.css"]) await cp(`src/${name}`, `dist/${name}`);
for (const name of ["pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"]) {
  await cp(`${PYODIDE}/${name}`, `dist/pyodide/${name}`);
}
// No package of Pyodide's is ever loaded, so its list needs to name none.
const { info } = JSON.parse(await readFile(`${PYODIDE}/pyodide-lock.json`, "utf8"));
await writeFile("dist/pyodide/pyodide-lock.json", JSON.stringify({ info, packages: {} }));
