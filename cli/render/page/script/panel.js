// The side panel: an overview, or what is known of the selected part.
const panel = document.getElementById("panel");
const STATE = (operator) => text(operator.stateWords);
const SHOWN = 40; // entries of a list before it is folded

const link = (words, chosen, stage) => el("a", { href: address(chosen, stage), click: (event) => { event.preventDefault(); select(chosen, { stage, focus: event.detail === 0 }); } }, words); // a key's click has no detail
const operatorLink = (operator, stage) => link(called(operator), { type: "op", node: operator.node }, stage);
const taskLink = (task) => link(`task ${task + 1}: ${data.tasks[task].name}`, { type: "task", task }, "job");
const edgeLink = (number) => link(edgeName(data.edges[number]), { type: "edge", edge: number });
const chip = (verdict) => el("span", { class: `chip ${verdict}` }, verdict === "broken" ? "could chain" : verdict === "needed" ? "needed" : verdict === "chained" ? "chained" : verdict);
const heading = (words) => el("h3", {}, words);

function folded(items, title, shown = SHOWN) {
  const list = el("ul", {}, ...items.slice(0, shown).map((item) => el("li", {}, item)));
  if (items.length <= shown + 1) return el("ul", {}, ...items.map((item) => el("li", {}, item))); // never "1 more"
  const more = el("details", {}, el("summary", {}, `${items.length - shown} more ${title}`));
  more.addEventListener("toggle", () => {
    if (more.children.length === 1) more.append(el("ul", {}, ...items.slice(shown).map((item) => el("li", {}, item))));
  });
  return el("div", {}, list, more);
}

function rows(pairs) {
  return el("table", {}, el("tbody", {}, ...pairs.filter(Boolean).map(([name, ...cells]) => el("tr", {}, el("th", { scope: "row" }, name), ...cells.map((cell) => el("td", {}, cell))))));
}

function panelTitle() {
  switch (selection.type) {
    case "op": return called(operators.get(selection.node));
    case "edge": return edgeName(data.edges[selection.edge]);
    case "task": return `Task ${selection.task + 1}`;
    case "subtask": return `Subtask ${selection.subtask} of task ${selection.task + 1}`;
    case "group": return `Subtasks ${span(selection.first, selection.last)} of task ${selection.task + 1}`;
    case "slot": return `Slot ${selection.slot}`;
    case "slots": return `Slots ${span(selection.first, selection.last)}`;
    default: return `Task manager ${span(selection.first, selection.last)}`;
  }
}

function drawPanel() {
  const bodies = { op: operatorBody, edge: edgeBody, task: taskBody, subtask: subtaskBody, group: groupBody, slot: slotBody, slots: slotsBody, managers: managersBody };
  panel.scrollTop = 0;
  if (!selection) return panel.replaceChildren(...overview());
  const close = el("button", { type: "button", class: "close", "aria-label": "Back to the overview", title: "Back to the overview (Esc)", click: () => select(null) }, "✕");
  panel.replaceChildren(el("div", { class: "top" }, el("h2", {}, panelTitle()), close), ...bodies[selection.type]().filter(Boolean));
}

// --- operators -------------------------------------------------------------------------------------------------------
function operatorBody() {
  const operator = operators.get(selection.node);
  const before = operator.uid === null ? ancestors(operator.node) : [];
  const records = data.run && data.run.records[operator.node];
  return [
    el("p", {}, el("span", { class: "chip" }, operator.kind), " ", el("span", { class: "muted" }, operator.place)),
    operator.note && el("p", {}, operator.note),
    ...changesOf(operator.node),
    records && el("p", {}, `Run ${data.run.id}: ${records[0] ?? "?"} records in, ${records[1] ?? "?"} out`),
    operator.task !== null && el("p", {}, "Runs in ", taskLink(operator.task)),
    ...mergedBody(operator.node),
    heading("Settings, and who set them"),
    rows(operator.settings.map(([name, value, origin]) => [text(name), text(value), el("span", { class: "muted" }, text(origin))])),
    heading("State"),
    el("p", {}, operator.state === null ? "Flink does not tell whether it keeps state." : `Keeps ${STATE(operator)}.`, operator.state !== null && operator.state !== "none" && operator.uid === null ? el("span", { class: "bad" }, " It has no uid: a change of the job may lose it.") : ""),
    heading("Operator id"),
    el("p", { class: "id" }, operator.id),
    el("p", { class: "muted" }, text(operator.idFrom)),
    before.length && el("p", {}, `It depends on ${count(before.length, "operator")} before it:`),
    before.length && folded(before.map((one) => operatorLink(one)), "operators"),
    ...edgeList("Reads from", inputs.get(operator.node), "source"),
    ...edgeList("Feeds", outputs.get(operator.node), "target"),
  ];
}

// PyFlink merges neighbouring Python operators before Flink chains anything.
function mergedBody(node) {
  const merged = data.python && data.python.merged[node];
  if (!merged) return [];
  return [heading("What PyFlink made it of"), el("p", { class: "muted" }, `${merged.reason}.`), partList(merged.parts)];
}
const partList = (parts) => el("ul", {}, ...parts.map(([name, place, helper]) => el("li", {}, name, " ", el("span", { class: "muted" }, helper ? `${place}, ${helper}` : place))));

function apartBody(edge) {
  const pair = data.python && data.python.apart.find(({ nodes: [source, target] }) => source === edge.source && target === edge.target);
  if (!pair) return [];
  return [
    heading("Why PyFlink did not merge them"),
    el("ul", {}, ...pair.obstacles.map(([code, slug, values]) => el("li", {}, el("b", {}, code), ` ${slug}: `, el("span", { class: "muted" }, values)))),
    ...pair.changes.map((change, at) => el("p", {}, at ? `and ${change}` : `To merge them: ${change}`)),
    pair.needed ? el("p", { class: "muted" }, "Leave it: the exchange between them is part of what the job computes.") : null,
  ];
}

function edgeList(title, edges, end) {
  if (!edges || !edges.length) return [];
  return [heading(title), folded(edges.map((number) => el("span", {}, link(called(operators.get(data.edges[number][end])), { type: "edge", edge: number }), " ", chip(data.edges[number].verdict), ` ${data.edges[number].partitioner}`)), "edges")];
}

// --- edges -----------------------------------------------------------------------------------------------------------
function edgeBody() {
  const number = selection.edge, edge = data.edges[number];
  const traffic = edge.traffic;
  const found = data.variants.findIndex((one) => !one.together && one.edges.includes(number));
  const since = data.diff && data.diff.edgeMarks[number];
  return [
    el("p", {}, chip(edge.verdict), ` ${edge.partitioner}: ${edge.certainty ?? VERDICTS[edge.verdict]}`),
    since && el("p", {}, el("span", { class: `chip ${since[0]}` }, since[0]), ` since ${data.diff.against}${since[1] ? `: ${since[1]}` : ""}`),
    el("p", {}, "From ", operatorLink(operators.get(edge.source)), " to ", operatorLink(operators.get(edge.target))),
    rows([
      ["exchange", `${edge.partitioner} comes from ${text(edge.askedBy)}`],
      !data.observed && ["written at", edge.place],
      edge.side !== null && ["side output", edge.side],
      edge.input > 0 && ["input", String(edge.input)],
      traffic && ["channels", `${traffic.channels}, into ${count(traffic.gates, "input gate")}`],
      traffic && ["network buffers", `${traffic.buffers_to_start} to start on one task manager, up to ${traffic.buffers_to_start_apart} on several; ${traffic.buffers_wanted} to run well`],
      data.run && data.run.records[edge.source] && edge.side === null && ["records", `${data.run.records[edge.source][1] ?? "not counted"}`],
    ]),
    edge.changes.length > 0 && heading("The smallest change that chains it"),
    ...edge.changes.map((change, at) => el("p", {}, at ? `and ${change}` : change)),
    edge.settings.length > 0 && el("pre", {}, `plan explain ${data.file} ${edge.settings.map((setting) => `--set ${quoted(setting)}`).join(" ")}`),
    found >= 0 && switchCard(found, "Show the result of this change"),
    ...apartBody(edge),
    heading(edge.verdict === "chained" && !edge.open.length ? "All twelve conditions hold" : "The twelve conditions"),
    conditions(edge),
  ];
}
const quoted = (setting) => (/^[\w.=:@%+,/-]+$/.test(setting) ? setting : `'${setting.replaceAll("'", "'\\''")}'`);

function conditions(edge) {
  const failing = (rule) => edge.obstacles.includes(rule.code);
  const weight = (rule) => 2 * failing(rule) + edge.open.includes(rule.code);
  const order = data.rules.map((_, at) => at).sort((a, b) => weight(data.rules[b]) - weight(data.rules[a]) || a - b); // what fails comes first
  return el("div", { class: "conditions" }, ...order.map((at) => {
    const rule = data.rules[at], mark = failing(rule) ? "no" : edge.open.includes(rule.code) ? "maybe" : "ok";
    return el("details", {},
      el("summary", {}, el("span", { class: mark }, el("b", {}, rule.code), ` ${rule.slug}`), el("span", { class: "muted" }, `: ${text(edge.conditions[at])}`)),
      el("p", {}, rule.why), el("p", { class: "muted" }, rule.fix));
  }));
}

// --- tasks, subtasks, slots ------------------------------------------------------------------------------------------
function taskBody() {
  const number = selection.task, task = data.tasks[number];
  const run = data.run && data.run.tasks[number];
  const between = data.edges.map((_, at) => at).filter((at) => data.edges[at].verdict !== "chained");
  const parallelism = task.parallelism > 0 ? String(task.parallelism) : "decided at run time";
  return [
    el("p", {}, task.name),
    rows([["parallelism", parallelism], ["slot sharing group", task.group], task.maxParallelism > 0 && ["max parallelism", String(task.maxParallelism)], ["vertex id", el("span", { class: "id" }, task.id)]]),
    run && heading(`Run ${data.run.id}`),
    run && rows([["state", run.state], ["time", run.seconds], run.skew !== null && ["skew", String(run.skew)], ["attempts", String(run.attempts)], ["hosts", run.hosts.join(", ") || "not known"], run.shuffleRead !== "-" && ["shuffle", `${run.shuffleRead} read, ${run.shuffleWrite} written`], ...run.live]),
    heading("Its place in the order"), el("p", {}, `No. ${number + 1}: ${task.order}.`),
    heading(`${count(task.operators.length, "operator")}, chained`),
    folded(task.operators.map((node) => operatorLink(operators.get(node))), "operators"),
    ...edgeList("Reads from", between.filter((at) => operators.get(data.edges[at].target).task === number), "source"),
    ...edgeList("Feeds", between.filter((at) => operators.get(data.edges[at].source).task === number), "target"),
    execution && heading("Subtasks"),
    execution && subtaskGroups(number, 0, execution.parallelisms[number] - 1),
  ];
}

// Subtasks in groups that open: a hundred at a time.
function subtaskGroups(task, first, last) {
  const size = last - first + 1;
  if (size <= 20) return el("p", {}, ...numbers(first, last).flatMap((at) => [link(String(at), { type: "subtask", task, subtask: at }, "execution"), " "]));
  const step = size > 2000 ? 1000 : size > 100 ? 100 : 20;
  const groups = [];
  for (let low = first; low <= last; low += step) {
    const high = Math.min(low + step - 1, last);
    const group = el("details", {}, el("summary", {}, `subtasks ${span(low, high)}`));
    group.addEventListener("toggle", () => { if (group.children.length === 1) group.append(subtaskGroups(task, low, high)); });
    groups.push(group);
  }
  return el("div", {}, ...groups);
}

function groupBody() {
  const { task, first, last } = selection;
  return [el("p", {}, "Of ", taskLink(task)), el("p", {}, `These ${count(last - first + 1, "subtask")} are drawn as one box. Choose one:`), subtaskGroups(task, first, last)];
}

function subtaskBody() {
  const { task, subtask } = selection;
  const slot = slotOf(task, subtask);
  const run = data.run && data.run.tasks[task] && data.run.tasks[task].subtasks[subtask];
  return [
    el("p", {}, "Of ", taskLink(task)),
    rows([
      ["slot", link(`slot ${slot}`, { type: "slot", slot }, "physical")],
      ["task manager", execution.placement ? `${managerOf(slot)}, there slot ${unfold(execution.placement.numberOf)[slot]}` : "not placed: add --task-managers N --slots M"],
      ["shares its slot with", subtaskWords(membersOf("slotOf", slot).filter(([one]) => one !== task)) || "nothing"],
      run && [`run ${data.run.id}`, `${run[0]}, attempt ${run[1]}, on ${run[2] || "a host that is not known"}`],
    ]),
    heading("What it reads"), readBody(task, subtask),
    heading("Who reads from it"), readersBody(task, subtask),
    heading("What restarts with it"), ...restartBody(task, subtask),
  ];
}

const subtaskWords = (members) => members.map(([task, own]) => `${data.tasks[task].name} [${rangeWords(own)}]`).join("; ");

function readBody(task, subtask) {
  const found = execution.edges.filter((edge) => edge.target === task);
  if (!found.length) return el("p", {}, "Nothing: it is a source.");
  return el("ul", {}, ...found.map((edge) => {
    const low = unfold(edge.low)[subtask], high = unfold(edge.high)[subtask];
    return el("li", {}, link(`${edge.ship} from task ${edge.source + 1}`, { type: "edge", edge: edge.edge }), `: ${low === 0 && high === execution.parallelisms[edge.source] - 1 && high > 0 ? `all ${high + 1} subtasks` : high < low ? "no subtask" : `subtask${low === high ? "" : "s"} ${span(low, high)}`}${edge.blocking ? ", when they are finished" : ""}`);
  }));
}

function readersBody(task, subtask) {
  const found = execution.edges.filter((edge) => edge.source === task);
  if (!found.length) return el("p", {}, "Nobody: it is a sink.");
  return el("ul", {}, ...found.map((edge) => {
    const low = unfold(edge.low), high = unfold(edge.high);
    const readers = edge.all ? numbers(0, low.length - 1) : numbers(0, low.length - 1).filter((at) => low[at] <= subtask && subtask <= high[at]);
    return el("li", {}, `${edge.ship} to `, taskLink(edge.target), `: ${readers.length === low.length && low.length > 1 ? `all ${low.length} subtasks` : `subtask ${rangeWords(readers)}`}`);
  }));
}

function restartBody(task, subtask) {
  const region = regionOf(task, subtask);
  const members = membersOf("regionOf", region);
  const size = members.reduce((sum, [, own]) => sum + own.length, 0);
  const all = execution.parallelisms.reduce((sum, one) => sum + one, 0);
  const others = (execution.restarts ? execution.restarts[region] : []).filter(([one]) => one !== region);
  return [
    el("p", {}, size === all ? `Everything: all ${count(all, "subtask")} are one failover region.` : `Failover region ${region}: ${count(size, "subtask")} of ${all}.`),
    size === all ? null : el("p", { class: "muted" }, subtaskWords(members)),
    others.length ? el("p", {}, `With it restart ${count(others.length, "further region")}, which read its results.`) : null,
  ];
}

function slotBody() {
  const members = membersOf("slotOf", selection.slot);
  const manager = managerOf(selection.slot);
  return [
    el("p", {}, `Slot sharing group ${members.length ? data.tasks[members[0][0]].group : ""}`, manager === null ? "" : `, on task manager ${manager}`),
    heading(`${count(members.reduce((sum, [, own]) => sum + own.length, 0), "subtask")} in it`),
    el("ul", {}, ...members.flatMap(([task, own]) => own.map((subtask) => el("li", {}, link(`${data.tasks[task].name} [${subtask}]`, { type: "subtask", task, subtask }))))),
  ];
}

function slotsBody() {
  return [el("p", {}, "These slots hold the next subtasks of the same tasks, one after the other. Choose one:"), slotGroups(selection.first, selection.last)];
}

function slotGroups(first, last) {
  if (last - first < 50) return el("p", {}, ...numbers(first, last).flatMap((slot) => [link(`slot ${slot}`, { type: "slot", slot }), " "]));
  const groups = [];
  const step = last - first > 2000 ? 1000 : 50;
  for (let low = first; low <= last; low += step) {
    const high = Math.min(low + step - 1, last);
    const group = el("details", {}, el("summary", {}, `slots ${span(low, high)}`));
    group.addEventListener("toggle", () => { if (group.children.length === 1) group.append(slotGroups(low, high)); });
    groups.push(group);
  }
  return el("div", {}, ...groups);
}

function managersBody() {
  if (!execution.placement) return [];
  const slots = unfold(execution.placement.managerOf).flatMap((manager, slot) => (manager >= selection.first && manager <= selection.last ? [slot] : []));
  return [el("p", {}, `${count(slots.length, "slot")} in use here, of ${execution.placement.slots} on each task manager.`), folded(slots.map((slot) => link(`slot ${slot}: ${subtaskWords(membersOf("slotOf", slot))}`, { type: "slot", slot })), "slots")];
}
