(() => {
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const marks = [...document.querySelectorAll(".mark")];
const reader = document.querySelector(".reader");
const lens = document.querySelector(".lens");
const ASPECT = 22 / 4.5; // of the lens
let at = -1;

// Show the place of an output a few times its own height, wherever it is on the page.
function look(box) {
  if (!lens) return;
  lens.toggleAttribute("hidden", !box);
  if (!box) return;
  const [left, top, width, height] = box;
  const tall = Math.max(2.4 * height, 1.4 * width / ASPECT);
  const wide = tall * ASPECT;
  lens.setAttribute("viewBox", `${left + width / 2 - wide / 2} ${top + height / 2 - tall / 2} ${wide} ${tall}`);
}

function show(index) {
  at = index;
  for (const old of document.querySelectorAll(".current")) old.classList.remove("current");
  const mark = marks[at];
  mark.classList.add("current");
  const box = document.querySelector(`[data-box="${at + 1}"]`);
  if (box) box.classList.add("current");
  look(data.boxes[at]);
  const text = document.createElement("b");
  text.append(mark.querySelector("bdi").cloneNode(true));
  reader.querySelector(".now").replaceChildren(`${at + 1} of ${marks.length}: `, text, `, ${data.said[at]}`);
}

function go(step) {
  const to = at < 0 && step < 0 ? marks.length - 1 : (at + step + marks.length) % marks.length;
  marks[to].focus(); // the focus shows the output
  if (at !== to) show(to);
  marks[to].scrollIntoView({ block: "nearest" });
}

if (reader) {
  reader.hidden = false;
  marks.forEach((mark, index) => {
    mark.addEventListener("focus", () => show(index));
    mark.addEventListener("click", () => show(index));
  });
  for (const box of document.querySelectorAll("[data-box]")) {
    box.addEventListener("click", (event) => {
      event.preventDefault();
      at = Number(box.dataset.box) - 1;
      go(0);
    });
  }
  for (const button of reader.querySelectorAll("button")) {
    button.addEventListener("click", () => go(Number(button.dataset.step)));
  }
  const steps = { n: 1, ArrowRight: 1, p: -1, ArrowLeft: -1 };
  addEventListener("keydown", (event) => {
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(steps[event.key]);
  });
  const asked = /^#w([0-9]+)$/.exec(location.hash);
  if (asked && marks[asked[1] - 1]) show(asked[1] - 1);
}
document.documentElement.dataset.ready = "yes";
})();
