// The overview: what a newcomer sees first.
const TILES = [["stream", "operators", "operators"], ["job", "chains", "tasks"], ["execution", "tasks", "subtasks"], ["physical", "slots", "slots"]];
const EDGES = {
  chained: ["chained", "records are handed over in memory, inside one task"],
  broken: ["could chain", "a change of the job would chain them"],
  needed: ["needed", "the result needs it so: a key, a broadcast, several inputs"],
  fixed: ["fixed", "nothing that can be written chains them"],
  open: ["open", "Flink does not tell which condition fails, or what would chain them"],
};

function overview() {
  const broken = data.edges.map((_, at) => at).filter((at) => data.edges[at].verdict === "broken");
  const single = data.variants.filter((one) => !one.together).length;
  const proposed = new Set(data.edges.filter((edge) => edge.settings.length).map((edge) => edge.settings.join())).size;
  return [
    el("h2", {}, "Overview"),
    data.observed ? el("p", { class: "muted" }, data.observed) : "",
    tiles(),
    ...diffSummary(),
    ...runSummary(),
    heading(`${count(data.edges.length, "edge")} between operators`),
    ...edgeSummary(),
    broken.length ? heading(broken.length === 1 ? "This edge could chain, and does not" : "These edges could chain, and do not") : "",
    broken.length ? folded(broken.map((at) => el("span", {}, edgeLink(at), el("br", {}), el("span", { class: "muted" }, reasons(data.edges[at])))), "edges", 6) : "",
    ...(data.variants.length ? [heading("What if: changes that would chain more"), ...data.variants.map((_, at) => switchCard(at, "Show the result"))] : []),
    proposed > single ? el("p", { class: "muted" }, `${count(proposed - single, "more change")}: select an edge, or plan explain --set shows the effect.`) : "",
    ...(data.python && data.python.dropped.length ? [heading("Not part of the job"), el("p", { class: "muted" }, "Nothing reads these operators of the script:"), partList(data.python.dropped)] : []),
    heading("Getting around"),
    el("p", { class: "muted" }, "Numbers on tasks are Flink's order of the vertices. Drag to move, wheel or pinch to zoom, arrow keys to go from part to part, Enter to select, Esc to come back, / to search."),
  ].filter((part) => part !== "");
}

// The four graphs in a row: what the job has, and what becomes of it.
function tiles() {
  const changed = new Map(variant === null ? [] : data.variants[variant].figures.map(([name, before, after]) => [name, [before, after]]));
  const number = (name) => {
    const [before, after] = changed.get(name) || [data.figures[name], data.figures[name]];
    return el("b", {}, figure(after), before === after ? "" : " ", before === after ? "" : el("s", {}, figure(before)));
  };
  const go = (stage) => (event) => { event.preventDefault(); select(null, { stage }); };
  const flow = TILES.flatMap(([stage, name, words], at) => [
    at ? el("span", { class: "arrow", "aria-hidden": "true" }, "→") : "",
    el("a", { class: "tile", href: address(null, stage), click: go(stage), title: TITLES[stage] }, number(name), el("span", {}, words)),
  ]).filter((part) => part !== "");
  const costs = data.figures.tasks === null
    ? el("p", { class: "muted" }, "Batch mode decides the missing parallelisms at run time.")
    : el("p", { class: "costs" }, number("channels"), ` ${data.figures.channels === 1 ? "channel" : "channels"} between subtasks · `, number("buffers_to_start"), " network buffers to start, ", number("buffers_wanted"), " to run well");
  return el("div", {}, el("div", { class: "tiles" }, ...flow), costs);
}

// How many edges of each kind, as a bar; it is the legend of the drawings too.
function edgeSummary() {
  const kinds = Object.keys(EDGES).map((verdict) => [verdict, data.edges.filter((edge) => edge.verdict === verdict).length]).filter(([, size]) => size);
  const bar = el("div", { class: "bar", "aria-hidden": "true" }, ...kinds.map(([verdict, size]) => {
    const part = el("i", { class: verdict });
    part.style.flexGrow = size;
    return part;
  }));
  const lines = kinds.map(([verdict, size]) => [el("i", { class: verdict }), el("span", {}, el("b", { class: verdict }, `${figure(size)} ${EDGES[verdict][0]}`), el("span", { class: "muted" }, `: ${EDGES[verdict][1]}`))]);
  const kind = (name, words) => el("span", { class: "kind" }, el("i", { class: `box ${name}` }), words);
  return [
    kinds.length > 1 ? bar : "",
    el("div", { class: "legend" }, ...lines.flat()),
    el("p", { class: "kinds" }, kind("source", "source"), kind("operator", "operator"), kind("keyed", "keyed"), kind("sink", "sink"),
      ...(data.diff ? [el("span", { class: "kind" }, el("b", {}, "+ − ~"), "added, removed, changed")] : [])),
  ].filter((part) => part !== "");
}

const reasons = (edge) => data.rules.map((rule, at) => (edge.obstacles.includes(rule.code) ? `${rule.code} ${text(edge.conditions[at])}` : "")).filter(Boolean).join("; ");

function runSummary() {
  if (!data.run) return [];
  const hot = Object.entries(data.run.tasks).some(([, task]) => task.seconds !== "-");
  return [
    heading(`Run ${data.run.id}`),
    el("p", {}, el("span", { class: `chip ${data.run.state}` }, data.run.state), ` ${data.run.seconds} on ${data.run.master}, ${data.run.mode}`),
    data.run.message ? el("pre", { class: data.run.state === "FAILED" ? "bad" : "muted" }, data.run.message) : "",
    data.run.live.length ? rows(data.run.live) : "",
    hot ? el("p", { class: "kinds" }, el("span", { class: "kind" }, el("i", { class: "heat" }), "tasks by their time: the stronger, the longer")) : "",
  ];
}

function diffSummary() {
  if (!data.diff) return [];
  const { changes, against, levels } = data.diff;
  const parts = [heading(`Changes since ${against}`)];
  if (!changes.length) parts.push(el("p", { class: "good" }, "None: the plans are the same."));
  for (const [level, words] of levels) {
    const found = changes.filter((change) => change.level === level);
    parts.push(el("p", { class: "level" }, el("span", { class: `chip ${level}` }, `${found.length} ${level}`), el("span", { class: "muted" }, ` ${words}`)));
    parts.push(folded(found.map(changeWords), "changes", 12));
  }
  return parts;
}

function changeWords(change) {
  return el("span", {}, change.message,
    change.advice ? el("span", { class: "muted" }, ` ${change.advice}`) : "",
    change.node === null ? "" : " ", change.node === null ? "" : link("show it", { type: "op", node: change.node }),
    change.ids ? el("br", {}) : "", change.ids ? el("span", { class: "id muted" }, change.ids.join(" → ")) : "");
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
