// The overview: what a newcomer sees first.
const LEVELS = { "state-breaking": "a restored job would not start, or would lose or misread state", performance: "the same result at another cost", safe: "nothing to do" };

function overview() {
  const figures = data.figures;
  const broken = data.edges.map((_, at) => at).filter((at) => data.edges[at].verdict === "broken");
  const changed = new Map(variant === null ? [] : data.variants[variant].figures.map(([name, before, after]) => [name, [before, after]]));
  const shown = (value) => (value === null ? "?" : value.toLocaleString("en").replaceAll(",", "\u202f"));
  const tile = (name, words) => {
    const [before, after] = changed.get(name) || [figures[name], figures[name]];
    return el("div", { class: "tile" }, el("b", {}, shown(after), before === after ? "" : " ", before === after ? "" : el("s", {}, shown(before))), el("span", {}, words));
  };
  return [
    el("h2", {}, "Overview"),
    el("div", { class: "tiles" },
      tile("operators", "operators"), tile("chains", "tasks (chains)"), tile("tasks", "subtasks"),
      tile("slots", "slots"), tile("channels", "channels"), tile("buffers_to_start", "network buffers to start"), tile("buffers_wanted", "to run well")),
    figures.tasks === null ? el("p", { class: "muted" }, "Batch mode decides the missing parallelisms at run time.") : "",
    el("p", {}, `${figures.chained_edges} of ${count(figures.edges, "edge")} are chained.`),
    ...runSummary(),
    ...diffSummary(),
    heading(broken.length ? `${count(broken.length, "edge")} could chain, and ${broken.length === 1 ? "does" : "do"} not` : "Every edge that could chain does"),
    broken.length ? folded(broken.map((at) => el("span", {}, edgeLink(at), el("span", { class: "muted" }, ` ${data.edges[at].obstacles.join(", ")}`))), "edges", 10) : "",
    ...(data.variants.length ? [heading("What if: changes that would chain more"), ...data.variants.map((_, at) => switchCard(at, "Show the result"))] : []),
    ...(data.python && data.python.dropped.length ? [heading("Not part of the job"), el("p", { class: "muted" }, "Nothing reads these operators of the script:"), partList(data.python.dropped)] : []),
    heading("How to read it"),
    legend(),
    el("p", { class: "muted" }, "Numbers on tasks are Flink's order of the vertices. Drag to move, wheel or pinch to zoom, arrow keys to go from part to part, Enter to select, Esc to come back, / to search."),
  ].filter((part) => part !== "");
}

function legend() {
  const rows = [
    [el("i", { class: "box source" }), "a source"], [el("i", { class: "box operator" }), "an operator"],
    [el("i", { class: "box keyed" }), "an operator on a keyed stream"], [el("i", { class: "box sink" }), "a sink"],
    [el("i", { class: "chained" }), "chained: both run in one task, records are handed over in memory"],
    [el("i", { class: "broken" }), "not chained, and a change of the job would chain it"],
    [el("i", { class: "needed" }), "not chained: the result needs the exchange (a key, a broadcast)"],
    [el("i", { class: "fixed" }), "not chained: nothing that can be written chains it"],
  ];
  if (data.diff) rows.push([el("b", {}, "+ − ~"), `added, removed, changed since ${data.diff.against}`]);
  return el("div", { class: "legend" }, ...rows.flatMap(([sign, words]) => [sign, el("span", {}, words)]));
}

function runSummary() {
  if (!data.run) return [];
  const hot = Object.entries(data.run.tasks).filter(([, task]) => task.seconds !== "-");
  return [
    heading(`Run ${data.run.id}`),
    el("p", {}, el("span", { class: `chip ${data.run.state}` }, data.run.state), ` ${data.run.seconds} on ${data.run.master}, ${data.run.mode}`),
    data.run.message ? el("pre", { class: "bad" }, data.run.message) : "",
    data.run.live.length ? rows(data.run.live) : "",
    hot.length ? el("p", { class: "muted" }, "Tasks are coloured by their time: the darker, the longer.") : "",
  ];
}

function diffSummary() {
  if (!data.diff) return [];
  const { changes, against } = data.diff;
  const parts = [heading(`Changes since ${against}`)];
  if (!changes.length) parts.push(el("p", { class: "good" }, "None: the plans are the same."));
  for (const [level, words] of Object.entries(LEVELS)) {
    const found = changes.filter((change) => change.level === level);
    if (!found.length) continue;
    parts.push(el("p", { class: level }, el("b", {}, `${found.length} ${level}`), el("span", { class: "muted" }, ` ${words}`)));
    parts.push(folded(found.map(changeWords), "changes"));
  }
  return parts;
}

function changeWords(change) {
  const words = change.node === null ? el("span", {}, change.message) : link(change.message, { type: "op", node: change.node });
  return change.before === null ? words : el("span", {}, words, el("br", {}), el("span", { class: "id" }, `${change.before} → ${change.after}`));
}

function changesOf(node) {
  if (!data.diff) return [];
  const found = data.diff.changes.filter((change) => change.node === node);
  const kind = data.diff.marks[node];
  return [
    kind ? el("p", {}, el("span", { class: `chip ${kind}` }, kind), ` since ${data.diff.against}`) : null,
    found.length ? el("ul", {}, ...found.map((change) => el("li", { class: change.level }, change.message))) : null,
  ];
}
