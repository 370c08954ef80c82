(() => {
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const { columns, rows, items } = data;
const KEY = `fastarac-station:${data.fingerprint}`;
const ADDED = ["truth", "answered_by", "answered_at", "station"];
const CORRECT = { right: "1", wrong: "0", unsure: "" };
const $ = (id) => document.getElementById(id);
let mine = {}; // by the number of the item: { a: right, wrong or unsure, t: the correct text, by, at }
let at = 0; // the item that is shown
let changes = []; // what undo takes back: the item, and its answer before
let unsaved = false, keeps = true;
let other = null, only = null; // answers of a second file, and the items on which they differ

// Characters that show nothing, or turn the direction, would hide what is wrong.
const shown = (text) => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
const outputOf = (i) => (data.output === null ? null : rows[items[i].row][data.output]);

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify({ mine, who: $("who").value, unsaved }));
  } catch {
    keeps = false;
  }
}

function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null");
    if (!kept) return false;
    ({ mine, unsaved } = kept);
    $("who").value = kept.who;
    return true;
  } catch {
    return false;
  }
}

// What is shown

function inWords(answer) {
  if (!answer) return "not answered";
  return answer.a + (answer.t ? `: “${shown(answer.t)}”` : "");
}

function showPicture(picture) {
  const svg = $("picture");
  svg.toggleAttribute("hidden", !picture);
  $("item").classList.toggle("whole", Boolean(picture) && !picture[2] && picture[1][1] > 400); // a page
  if (!picture) return;
  const [number, [width, height], box] = picture;
  // a phone shows only the words next to the output: the whole picture would make it too small
  const wide = box && innerWidth < 640 ? Math.min(width, Math.max(1.2 * box[2], 2.4 * height)) : width;
  const left = box ? Math.min(Math.max(0, box[0] + box[2] / 2 - wide / 2), width - wide) : 0;
  svg.setAttribute("viewBox", `${left} 0 ${wide} ${height}`);
  const [image, frame] = svg.children;
  image.setAttribute("href", data.images[number]);
  for (const [name, value] of [["width", width], ["height", height]]) image.setAttribute(name, value);
  frame.toggleAttribute("hidden", !box);
  ["x", "y", "width", "height"].forEach((name, k) => frame.setAttribute(name, box ? box[k] : 0));
}

function showCounts() {
  const given = Object.values(mine);
  const unsure = given.filter((answer) => answer.a === "unsure").length;
  $("progress").value = given.length;
  $("count").textContent = `${given.length} of ${items.length} answered`
    + (unsure ? `, ${unsure} unsure` : "") + (given.length ? (unsaved ? "; not saved" : "; saved") : "");
  $("undo").disabled = !changes.length;
}

function show(index) {
  at = index;
  const { row, line, picture } = items[at];
  const text = outputOf(at);
  const place = only ? `Difference ${only.indexOf(at) + 1} of ${only.length}: output` : "Output";
  $("place").textContent = `${place} ${at + 1} of ${items.length}`;
  showPicture(picture);
  $("output").hidden = data.output === null;
  $("facts").classList.toggle("large", data.output === null); // the row itself is the output
  $("output").classList.toggle("nothing", !text);
  $("output").textContent = text ? shown(text) : "nothing was read";
  $("line").hidden = !line;
  if (line) [line[0], text ?? "", line[1]].forEach((part, k) => { $("line").children[k + 1].textContent = shown(part); });
  $("facts").replaceChildren(...data.facts.filter((column) => rows[row][column]).map((column) => {
    const pair = document.createElement("div");
    for (const [tag, said] of [["dt", columns[column]], ["dd", rows[row][column]]]) {
      pair.appendChild(document.createElement(tag)).textContent = shown(said);
    }
    return pair;
  }));
  const answer = mine[at];
  let said = answer ? `You: ${inWords(answer)}` : "";
  if (only) said = `${other.name}: ${inWords(other.answers[at])}. You: ${inWords(answer)}.`;
  $("answer").textContent = said;
  for (const name of Object.keys(CORRECT)) $(name).setAttribute("aria-pressed", answer?.a === name);
  closeCorrection();
  showCounts();
}

// What the keys and buttons do

function step(by) {
  const among = only ?? items.map((_, i) => i);
  const to = among.indexOf(at) + by;
  if (to >= 0 && to < among.length) show(among[to]);
  else say(by > 0 ? "This is the last output: save your answers." : "This is the first output.");
}

function nextOpen() {
  const order = items.map((_, i) => (at + 1 + i) % items.length);
  const open = order.find((i) => !mine[i] && (!only || only.includes(i)));
  if (open === undefined) say("Every output has an answer: save your answers.");
  else show(open);
}

function change(index, answer) {
  changes.push([index, mine[index]]);
  set(index, answer);
}

function set(index, answer) {
  if (answer) mine[index] = answer;
  else delete mine[index];
  unsaved = true;
  say("");
  keep();
}

function give(a, t = "") {
  change(at, { a, t, by: $("who").value.trim(), at: new Date().toISOString().slice(0, 19) + "Z" });
  const last = only ? only.at(-1) : items.length - 1;
  if (at === last) {
    show(at);
    nextOpen();
  } else step(1);
}

function undo() {
  const before = changes.pop();
  if (!before) return;
  set(...before);
  if (only && !only.includes(before[0])) only = null;
  show(before[0]);
}

function correct() {
  if (data.output === null) {
    give("wrong");
    return;
  }
  $("correction").hidden = false;
  $("truth").value = mine[at]?.t || (outputOf(at) ?? "");
  $("truth").focus();
  $("truth").select();
}

function closeCorrection() {
  if ($("correction").hidden) return;
  $("correction").hidden = true;
  $("item").focus({ preventScroll: true });
}

function say(text) {
  const kept = keeps ? "" : " This browser keeps nothing for this page: save before you close it.";
  $("message").textContent = text + kept;
}

// The file: the table, and what was answered

function written() {
  const has = columns.includes("correct");
  const place = columns.indexOf("correct");
  const cell = (value) => {
    if (value === null) return "";
    return value === "" || /["\r\n\t ]/.test(value) || value.includes(data.delimiter) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  const lines = [[...columns, ...(has ? [] : ["correct"]), ...ADDED]];
  const itemOf = new Map(items.map((item, i) => [item.row, i]));
  rows.forEach((row, number) => {
    const index = itemOf.get(number);
    const answer = mine[index];
    const whole = has ? [...row] : [...row, null];
    if (answer) whole[has ? place : columns.length] = CORRECT[answer.a] || null;
    const truth = answer?.a === "right" ? outputOf(index) : answer?.t || null;
    lines.push([...whole, truth, answer ? answer.by || $("who").value.trim() || null : null, answer?.at ?? null, data.fingerprint]);
  });
  return lines.map((line) => line.map(cell).join(data.delimiter) + "\n").join("");
}

function save() {
  const link = document.createElement("a");
  const who = $("who").value.trim().replace(/[^\p{L}\p{N}]+/gu, "-");
  link.download = `${data.name}-answered${who ? `-${who}` : ""}.csv`;
  link.href = URL.createObjectURL(new Blob([written()], { type: "text/csv" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  unsaved = false;
  keep();
  showCounts();
  const open = items.length - Object.values(mine).filter((answer) => answer.a !== "unsure").length;
  say(`${link.download} is among your downloads` + (open ? `; ${open} of ${items.length} outputs are open in it.` : "."));
}

function parsed(text) {
  const lines = [[]];
  const mark = data.delimiter === "|" ? "\\|" : data.delimiter;
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\r\\n${mark}]*))(${mark}|\\r?\\n|$)`, "gy");
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (!found) throw new Error("its quotes do not end as they should");
    lines.at(-1).push(found[1]?.replaceAll('""', '"') ?? found[2]);
    if (found[3] !== data.delimiter && cell.lastIndex < text.length) lines.push([]);
  }
  return lines;
}

// Return the answers of a saved file; throw an error if the file is of another sample.
function answersIn(text) {
  const [header, ...lines] = parsed(text.replace(/^\ufeff/, ""));
  const place = Object.fromEntries(["correct", ...ADDED].map((name) => [name, header.indexOf(name)]));
  if (Math.min(...Object.values(place)) < 0) throw new Error("it is no file that a station has saved");
  if (lines.length !== rows.length || lines.some((line) => line[place.station] !== data.fingerprint)) {
    throw new Error("it is of another sample, or its rows were changed");
  }
  const found = {};
  items.forEach(({ row }, i) => {
    const line = lines[row];
    const given = line[place.correct];
    if (!line[place.answered_at]) return;
    const a = Object.keys(CORRECT).find((name) => CORRECT[name] === given);
    if (!a) throw new Error(`row ${row + 1} must have 1, 0 or nothing as its answer, got ${given}`);
    found[i] = { a, t: a === "wrong" ? line[place.truth] : "", by: line[place.answered_by], at: line[place.answered_at] };
  });
  return found;
}

async function open() {
  const [file] = $("other").files;
  if (!file) return;
  $("compared").hidden = true;
  try {
    const answers = answersIn(await file.text());
    const names = new Set(Object.values(answers).map((answer) => answer.by).filter(Boolean));
    other = { answers, name: [...names].join(", ") || file.name };
  } catch (error) {
    say(`${file.name}: ${error.message}.`);
    return;
  } finally {
    $("other").value = ""; // so that the same file can be opened again
  }
  compare();
}

const isSame = (a, b) => a.a === b.a && (a.t === b.t || !a.t || !b.t);
const differing = () => items.map((_, i) => i).filter((i) => mine[i] && other.answers[i] && !isSame(mine[i], other.answers[i]));
const lacking = () => items.map((_, i) => i).filter((i) => !mine[i] && other.answers[i]);

function compare() {
  const both = items.filter((_, i) => mine[i] && other.answers[i]).length;
  const [apart, open] = [differing(), lacking()];
  const share = both ? ` (${(100 * (both - apart.length) / both).toFixed(1)}%)` : "";
  say(`${other.name} and you both answered ${both} outputs, ${both - apart.length}${share} of them alike.`);
  $("compared").hidden = false;
  $("differ").textContent = `Go through the ${apart.length} that differ`;
  $("differ").disabled = !apart.length;
  $("take").textContent = `Take the ${open.length} answers that you have not given`;
  $("take").disabled = !open.length;
}

function take() {
  for (const i of lacking()) change(i, other.answers[i]);
  compare();
  show(at);
}

function goThrough(which) {
  only = which;
  show(only ? only[0] : at);
  $("item").focus();
}

function clearAll() {
  if (!confirm("Delete all answers that this browser keeps for this page?")) return;
  mine = {};
  changes = [];
  only = null;
  unsaved = false;
  localStorage.removeItem(KEY);
  show(0);
}

const DO = {
  right: () => give("right"), wrong: correct, unsure: () => give("unsure"),
  back: () => step(-1), next: () => step(1), open: nextOpen, undo, save,
  cancel: closeCorrection, differ: () => goThrough(differing()), take, all: () => goThrough(null), clear: clearAll,
};
const KEYS = { r: "right", w: "wrong", u: "unsure", b: "back", ArrowLeft: "back", n: "next", ArrowRight: "next", o: "open", z: "undo", s: "save" };

for (const [id, act] of Object.entries(DO)) $(id).addEventListener("click", act);
$("other").addEventListener("change", open);
$("who").addEventListener("change", keep);
$("correction").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("truth").value;
  give("wrong", text === outputOf(at) ? "" : text);
});
addEventListener("keydown", (event) => {
  const inside = event.target.closest("textarea");
  if (inside && event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("correction").requestSubmit();
  } else if (inside && event.key === "Escape") closeCorrection();
  const typing = event.target.matches("input:not([type=checkbox]), textarea");
  if (typing || !$("keys").checked || !(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  DO[KEYS[event.key]]();
});
addEventListener("storage", (event) => { // another tab has this page, too
  if (event.key === KEY && recall()) show(at);
});
addEventListener("beforeunload", (event) => {
  if (unsaved && !keeps) event.preventDefault();
});

if (recall()) say(`${Object.keys(mine).length} answers were kept from before.`);
else keep();
show(Math.max(0, items.findIndex((_, i) => !mine[i])));
document.documentElement.dataset.ready = "yes";
})();
