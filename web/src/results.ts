/** The results of a run: the next step first, then the first failure in full, the points, and the rest. */

import { element } from "./element";
import type { Failure, Findings } from "./lesson";

/** Make the results; `goTo` is called with a place such as `work.py, TODO 6 (total)`. */
export function results(found: Findings, goTo: (place: string) => void): HTMLElement[] {
  if (found.fault) return [element("p", { class: "bad" }, "The tests could not run."), element("pre", {}, found.fault)];
  const [next, points] = found.ending.length > 1 ? found.ending : ["", found.ending[0] ?? ""];
  const shown: HTMLElement[] = [];
  if (next) {
    const place = /^Next: (.+?, TODO \d+)/.exec(next)?.[1];
    shown.push(element("p", { class: "next" }, next, ...(place ? [" ", goThere(place, goTo)] : [])));
  }
  shown.push(element("p", { class: found.passed ? "good" : "points" }, points ?? ""));
  shown.push(...found.broken.map((sentence) => element("p", { class: "bad" }, sentence)));
  const [first, ...others] = found.failures;
  if (first) shown.push(failure(first, goTo));
  if (others.length) {
    const heading = `${others.length} more ${others.length > 1 ? "ideas need" : "idea needs"} work`;
    shown.push(element("details", {}, element("summary", {}, heading), ...others.map((one) => failure(one, goTo))));
  }
  shown.push(...found.closing.map((sentence) => element("p", { class: "closing" }, sentence)));
  if (found.warnings.length) {
    const items = found.warnings.map((sentence) => element("li", {}, sentence));
    shown.push(element("h3", {}, "Before you hand in"), element("ul", { class: "warnings" }, ...items));
  }
  if (found.printed) {
    const text = element("pre", { tabindex: "0" }, found.printed);
    shown.push(element("details", {}, element("summary", {}, "What your code printed"), text));
  }
  shown.push(table(found));
  return shown;
}

function failure(one: Failure, goTo: (place: string) => void): HTMLElement {
  const made = element("article", { class: "failure" }, element("h3", {}, one.where, " ", goThere(one.where, goTo)));
  const [call, got, expected, rest] = one.parts;
  if (call !== undefined) {
    const lines = Object.entries({ Call: call, Got: got, Expected: expected }).map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, element("code", {}, value ?? ""))),
    );
    made.append(element("dl", {}, ...lines));
  }
  const said = rest ?? one.sentence;
  if (said) made.append(element("p", { class: "bad" }, said));
  if (one.cause) made.append(element("p", {}, element("strong", {}, "Likely cause: "), one.cause));
  for (const name of ["Because", "Hint"]) {
    const text = one.why[name];
    if (text) made.append(element("p", {}, element("strong", {}, `${name}: `), text));
  }
  if (one.picture) {
    const figure = element("figure");
    figure.innerHTML = one.picture; // drawn by the bundle, which escapes every text
    made.append(figure);
  }
  return made;
}

function goThere(place: string, goTo: (place: string) => void): HTMLElement {
  const button = element("button", { type: "button", class: "small" }, `Go to ${place.split(",")[0]}`);
  button.addEventListener("click", () => goTo(place));
  return button;
}

function table(found: Findings): HTMLElement {
  const heads = ["Task", "Points", "Hidden", "State"].map((text) => element("th", { scope: "col" }, text));
  const rows = found.tasks.map((task) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, task.title),
      element("td", {}, `${task.got} of ${task.of}`),
      element("td", {}, task.hidden ? `? of ${task.hidden}` : "\u2013"),
      element("td", { class: task.state }, element("span", { "aria-hidden": "true" }, `${task.sign} `), task.word),
    ),
  );
  const caption = element("caption", {}, "Points by task");
  const head = element("thead", {}, element("tr", {}, ...heads));
  return element("table", {}, caption, head, element("tbody", {}, ...rows));
}
