(() => {
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const units = data.units;
const [detection, falseAlarm] = data.people;
const charts = [];

// Numbers as the rest of the page writes them: a share never looks like none or all unless it is.
function percent(share) {
  if (share === 0 || share === 1) return `${100 * share}%`;
  for (let decimals = 1; decimals < 17; decimals++) {
    const text = (100 * share).toFixed(decimals);
    if (Number(text) !== 0 && Number(text) !== 100) return `${text}%`;
  }
  return `${100 * share}%`;
}
const number = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });
const count = (value) => number.format(value);
const money = (value) => new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const line = (k) => `--c${k % 8}`;
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
function faint(name) {
  const hex = color(name);
  return /^#[0-9a-f]{6}$/i.test(hex) ? `${hex}30` : hex;
}

const axis = (label, values, more) => ({
  stroke: () => color("--soft"), grid: { stroke: () => color("--grid"), width: 1 },
  ticks: { stroke: () => color("--grid"), width: 1, size: 4 },
  font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
  label, size: label ? 30 : 26, labelSize: 18, labelGap: 0, values, ...more,
});
const percents = (u, splits) => splits.map((value) => `${+value.toFixed(6)}%`);

// A chart whose values can be read by mouse, finger or arrow keys; `tell` describes the values at an index.
function chart(place, height, options, series, tell) {
  const readout = place.closest("figure").querySelector(".readout");
  const u = new uPlot({
    width: place.clientWidth, height, legend: { show: false },
    padding: [10, 24, 0, 0], ...options,
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 }, ...options.cursor },
    hooks: { ...options.hooks, setCursor: [(self) => { if (self.cursor.idx != null && self.cursor.left >= 0) readout.replaceChildren(...tell(self.cursor.idx)); }] },
  }, series, place);
  let at = 0;
  place.addEventListener("keydown", (event) => {
    const last = u.data[0].length - 1;
    const far = Math.max(1, Math.round(last / 20));
    const moves = { ArrowLeft: -1, ArrowRight: 1, PageDown: -far, PageUp: far, Home: -last, End: last };
    if (!(event.key in moves)) return;
    event.preventDefault();
    at = u.cursor.idx ?? at;
    at = Math.min(last, Math.max(0, at + moves[event.key]));
    u.setCursor({ left: u.valToPos(u.data[0][at], "x"), top: 10 });
    readout.replaceChildren(...tell(at));
  });
  new ResizeObserver(() => {
    const width = place.clientWidth;
    if (width && Math.abs(width - u.width) > 1) u.setSize({ width, height });
  }).observe(place);
  charts.push(u);
  place.dataset.drawn = "yes";
  return u;
}

function legend(place, names, note) {
  const readout = place.closest("figure").querySelector(".readout");
  const entries = names.map((name, k) => element("span", "entry", element("span", `key k${k % 8}`), name));
  readout.replaceChildren(...entries, ...(note ? [note] : []));
}

// Dashed lines at given heights, with their names on the side that the curve leaves free.
function guides(lines, above) {
  return (u) => {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    ctx.strokeStyle = ctx.fillStyle = color("--soft");
    ctx.lineWidth = ratio;
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = above ? "bottom" : "top";
    let last = -Infinity;
    for (const { height, text } of lines) {
      const y = u.valToPos(height, "y", true);
      ctx.beginPath();
      ctx.moveTo(u.bbox.left, y);
      ctx.lineTo(u.bbox.left + u.bbox.width, y);
      ctx.stroke();
      if (Math.abs(y - last) < 15 * ratio) continue; // no room for its name
      last = y;
      ctx.fillText(text, u.bbox.left + 6 * ratio, y + (above ? -2 : 3) * ratio);
    }
    ctx.restore();
  };
}

// Dots where the limits' thresholds are: [accepted, error rate] of each model.
function dots(models, risk) {
  return (u) => {
    const { ctx } = u;
    ctx.save();
    ctx.lineWidth = 2 * uPlot.pxRatio;
    ctx.strokeStyle = color("--paper");
    models.forEach((model, k) => {
      ctx.fillStyle = color(line(k));
      for (const [x, error] of model.points) {
        ctx.beginPath();
        ctx.arc(u.valToPos(100 * x, "x", true), u.valToPos(100 * (risk ? error / x : 1 - error), "y", true), 5.5 * uPlot.pxRatio, 0, 2 * Math.PI);
        ctx.fill();
        ctx.stroke();
      }
    });
    ctx.restore();
  };
}

function drawCurves(place) {
  const { x, models } = data.curves;
  const risk = place.dataset.chart === "risk";
  const shown = (error, at) => {
    if (error == null) return null;
    if (!risk) return 100 * (1 - error);
    return x[at] > 0 ? Math.min(100, 100 * error / x[at]) : null;
  };
  const rows = [x.map((share) => 100 * share)];
  const series = [{}];
  const bands = [];
  models.forEach((model, k) => {
    const [upper, lower] = risk ? [model.high, model.low] : [model.low, model.high];
    rows.push(upper.map(shown), lower.map(shown), model.error.map(shown));
    const hidden = { stroke: "transparent", width: 0, points: { show: false }, spanGaps: true };
    series.push(hidden, { ...hidden }, {
      stroke: () => color(line(k)), width: 2, dash: dashes[Math.floor(k / 8) % 4], points: { show: false }, spanGaps: true,
    });
    bands.push({ series: [3 * k + 1, 3 * k + 2], fill: () => faint(line(k)) });
  });
  const limits = data.limits.filter((limit) => limit.criterion === (risk ? "max_risk" : "max_error_rate"));
  const lines = limits.map((limit) => ({ height: risk ? 100 * limit.value : 100 * (1 - limit.value), text: `limit: ${limit.text}` }));
  const estimates = models.flatMap((model) => model.error.map(shown)).filter((value) => value != null);
  const heights = lines.map((each) => each.height);
  const range = risk
    ? [0, 1.15 * Math.max(0.5, ...heights, ...estimates.filter((_, k) => x[k % x.length] > 0.05))]
    : [Math.max(0, 100 - 1.25 * (100 - Math.min(99.5, ...heights, ...estimates))), 100];
  const tell = (at) => [
    element("span", "entry", `${percent(x[at])} accepted:`),
    ...models.map((model, k) => {
      const value = (error) => risk ? (x[at] > 0 ? percent(Math.min(1, error / x[at])) : "–") : percent(1 - error);
      const ends = risk ? [model.low[at], model.high[at]] : [model.high[at], model.low[at]];
      const band = ends[0] == null ? "" : ` (${value(ends[0])} to ${value(ends[1])})`;
      return element("span", "entry", element("span", `key k${k % 8}`), models.length > 1 ? `${model.name}: ` : "",
        element("b", "", value(model.error[at])), band);
    }),
  ];
  chart(place, 300, {
    scales: { x: { time: false, range: [0, 100] }, y: { range: () => range } }, bands, series,
    axes: [axis("accepted", percents), axis("", percents, { size: 58 })], hooks: { draw: [guides(lines, risk), dots(models, risk)] },
    cursor: { points: { show: (u, k) => k % 3 === 0 && k > 0 ? undefined : false } },
  }, rows, tell);
  legend(place, models.map((model) => model.name));
}

const written = (value) => `${+value.toPrecision(5)}`;

function drawBars(place, detail) {
  const { edges, bars: [right, wrong], highest } = detail;
  const onlyWrong = place.dataset.chart === "wrong";
  const left = edges.slice(0, -1);
  const all = right.map((value, k) => value + wrong[k]);
  const path = uPlot.paths.bars({ size: [0.92, Infinity], align: 1 });
  const bar = (name) => ({ stroke: () => color(name), fill: () => color(name), width: 0, paths: path, points: { show: false } });
  const tell = (at) => [`Confidence ${written(edges[at])} to ${written(edges[at + 1])}: ${count(right[at])} right, `,
    element("b", "", `${count(wrong[at])} wrong`)];
  chart(place, onlyWrong ? 128 : 176, {
    scales: { x: { time: false, range: [edges[0], edges[edges.length - 1]] }, y: { range: (u, low, high) => [0, Math.max(1, high * 1.05)] } },
    series: onlyWrong ? [{}, bar("--c1")] : [{}, bar("--c1"), bar("--c0")],
    axes: [axis(onlyWrong ? "confidence" : "", undefined), axis(onlyWrong ? "wrong" : units, undefined, { size: 58, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7] })],
    cursor: { points: { show: false } },
  }, onlyWrong ? [left, wrong] : [left, all, right], tell);
  if (onlyWrong) return;
  const readout = place.closest("figure").querySelector(".readout");
  readout.replaceChildren(element("span", "key k0"), "right ", element("span", "key k1"), "wrong");
}

function drawCalibration(place, detail) {
  const { bins, highest } = detail;
  const rows = [bins.map((bin) => bin[0]), bins.map((bin) => 100 * bin[1])];
  // Most confidences are high: leave out the empty part of the scale, in steps of a tenth.
  const least = Math.min(...bins.flatMap((bin) => [highest ? bin[0] / highest : 1, bin[2]]));
  const low = Math.max(0, Math.floor(10 * least - 0.2) / 10);
  const errorBars = (u) => {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top - 4 * ratio, u.bbox.width + 8 * ratio, u.bbox.height + 8 * ratio);
    ctx.clip();
    if (highest) {
      ctx.strokeStyle = color("--soft");
      ctx.setLineDash([5 * ratio, 4 * ratio]);
      ctx.lineWidth = ratio;
      ctx.beginPath();
      ctx.moveTo(u.valToPos(0, "x", true), u.valToPos(0, "y", true));
      ctx.lineTo(u.valToPos(highest, "x", true), u.valToPos(100, "y", true));
      ctx.stroke();
      ctx.setLineDash([]);
    }
    ctx.strokeStyle = color("--c0");
    ctx.lineWidth = 2 * ratio;
    for (const [mean, , from, to] of bins) {
      const at = u.valToPos(mean, "x", true);
      ctx.beginPath();
      ctx.moveTo(at, u.valToPos(100 * from, "y", true));
      ctx.lineTo(at, u.valToPos(100 * to, "y", true));
      ctx.stroke();
    }
    ctx.restore();
  };
  const tell = (at) => {
    const [mean, right, from, to] = bins[at];
    return [`Mean confidence ${written(mean)}: `, element("b", "", `${percent(right)} right`), ` (${percent(from)} to ${percent(to)})`];
  };
  const ends = highest ? [low * highest, highest] : [Math.min(...rows[0]), Math.max(...rows[0])];
  chart(place, 300, {
    scales: { x: { time: false, range: ends[0] < ends[1] ? ends : [ends[0] - 1, ends[1] + 1] }, y: { range: [100 * low, 100] } },
    series: [{}, { stroke: () => color("--c0"), width: 0, paths: () => null, points: { show: true, size: 8, fill: () => color("--c0"), width: 0 } }],
    axes: [axis("mean confidence", undefined), axis("", percents, { size: 58 })], hooks: { draw: [errorBars] },
  }, rows, tell);
  const readout = place.closest("figure").querySelector(".readout");
  readout.replaceChildren(highest ? "On the dashed line, the confidence equals the share that is right. Below it, confidences are too high." : "Higher confidence should mean a larger share right.");
}

// Lines with bands, or points with intervals, on a page about a policy.
function drawLines(place, drawn) {
  const { x, series: models, names, points } = drawn;
  const scale = drawn.percent ? 100 : 1;
  const shown = (values) => values.map((value) => (value == null ? null : scale * value));
  const rows = [drawn.x_percent ? x.map((share) => 100 * share) : x];
  const series = [{}];
  const bands = [];
  const paths = drawn.stepped ? uPlot.paths.stepped({ align: 1 }) : undefined;
  models.forEach((model, k) => {
    const hidden = { stroke: "transparent", width: 0, points: { show: false }, paths };
    const { low = model.y, high = model.y } = model;
    rows.push(shown(high), shown(low), shown(model.y));
    series.push(hidden, { ...hidden }, {
      stroke: () => color(line(k)), width: names ? 0 : 2, dash: dashes[Math.floor(k / 8) % 4],
      paths: names ? () => null : paths, points: { show: Boolean(points), size: 8, fill: () => color(line(k)), width: 0 },
    });
    if (model.low && !names) bands.push({ series: [3 * k + 1, 3 * k + 2], fill: () => faint(line(k)) });
  });
  const inX = (value) => (drawn.x_percent ? 100 * value : value);
  const guided = guides(drawn.guides.map(({ height, text }) => ({ height: scale * height, text })), true);
  const extra = (u) => {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    const stroke = (fromX, fromY, toX, toY) => {
      ctx.beginPath();
      ctx.moveTo(u.valToPos(fromX, "x", true), u.valToPos(fromY, "y", true));
      ctx.lineTo(u.valToPos(toX, "x", true), u.valToPos(toY, "y", true));
      ctx.stroke();
    };
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    ctx.strokeStyle = ctx.fillStyle = color("--soft");
    ctx.lineWidth = ratio;
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    if (drawn.diagonal) stroke(ends[0], ends[0], ends[1], ends[1]);
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "bottom";
    const marks = [...drawn.marks].sort((a, b) => a.at - b.at);
    for (const { at } of marks) stroke(inX(at), u.scales.y.min, inX(at), u.scales.y.max);
    ctx.setLineDash([]);
    ctx.textAlign = "left";
    ctx.strokeStyle = color("--paper");
    ctx.lineWidth = 3 * ratio;
    const taken = []; // where the names in each row end, so that none is over another
    let last = "";
    for (const { at, text } of marks) {
      const x = u.valToPos(inX(at), "x", true);
      const wide = ctx.measureText(text).width + 4 * ratio;
      const left = x - wide >= u.bbox.left ? x - wide : x + 4 * ratio;
      const free = taken.findIndex((end) => end < left);
      const row = free < 0 ? taken.length : free;
      if (row && text === last) continue; // the line before already has this name
      last = text;
      taken[row] = left + wide;
      const y = u.bbox.top + u.bbox.height - (4 + 14 * row) * ratio;
      ctx.strokeText(text, left, y);
      ctx.fillText(text, left, y);
    }
    if ((names || x.length === 1) && models[0].low) {
      ctx.setLineDash([]);
      ctx.strokeStyle = color(line(0));
      ctx.lineWidth = 2 * ratio;
      x.forEach((at, k) => { if (rows[1][k] != null) stroke(at, rows[2][k], at, rows[1][k]); });
    }
    ctx.restore();
  };
  const values = models.flatMap((model) => shown(model.y)).filter((value) => value != null);
  const highest = Math.max(...values, ...drawn.guides.map((guide) => scale * guide.height));
  const tops = models.flatMap((model) => (model.high ? shown(model.high) : [])).filter((value) => value != null);
  const top = drawn.top ? scale * drawn.top : Math.min(Math.max(1.15 * highest, ...tops), 3 * highest) || 1;
  const both = [...rows[0], ...values];
  const margin = 0.04 * (Math.max(...both) - Math.min(...both)) || 1;
  const ends = drawn.diagonal ? [Math.min(...both) - margin, Math.max(...both) + margin] : names ? [-0.5, x.length - 0.5] : [Math.min(0, ...rows[0]), Math.max(...rows[0])];
  const text = (value) => (drawn.percent ? percent(value) : written(value));
  const tell = (at) => [
    element("span", "entry", names ? names[at] : drawn.x_percent ? `${percent(x[at])} ${drawn.label}` : `${count(x[at])} ${drawn.label}`),
    ...models.map((model, k) => {
      if (model.y[at] == null) return "";
      const band = model.low ? ` (${text(model.low[at])} to ${text(model.high[at])})` : "";
      return element("span", "entry", element("span", `key k${k % 8}`), `${model.name}: `, element("b", "", text(model.y[at])), band);
    }),
  ];
  const few = { splits: () => x, values: () => names };
  const named = names && names.length * Math.max(...names.map((name) => name.length)) * 8 < place.clientWidth;
  chart(place, 300, {
    scales: { x: { time: false, range: ends }, y: { range: () => (drawn.diagonal ? ends : [0, top]) } }, bands, series,
    axes: [
      names ? axis(named ? "" : drawn.label, undefined, named ? few : { splits: () => x, values: () => x.map(() => "") }) : axis(drawn.label, drawn.x_percent ? percents : undefined),
      axis("", drawn.percent ? percents : undefined, { size: 58 }),
    ],
    hooks: { draw: [guided, extra] },
    cursor: { points: { show: (u, k) => (k % 3 === 0 && k > 0 ? undefined : false) } },
  }, rows, tell);
  if (!names && models.length > 1) legend(place, models.map((model) => model.name));
  else place.closest("figure").querySelector(".readout").replaceChildren(named || !names ? "" : `From left to right: ${names.join(", ")}.`);
}

// Draw visible charts only: a hidden one has no width, and is drawn when it is shown.
function drawAll() {
  for (const place of document.querySelectorAll(".chart:not([data-drawn])")) {
    if (!place.clientWidth) continue;
    const article = place.closest("article");
    const detail = article && data.details[article.id];
    const kind = place.dataset.chart;
    if (kind === "histogram" || kind === "wrong") drawBars(place, detail);
    else if (kind === "calibration") drawCalibration(place, detail);
    else if (kind === "lines") drawLines(place, data.drawn[place.id]);
    else drawCurves(place);
  }
}

function thresholds(article) {
  const detail = data.details[article.id];
  const { total, missed, right, threshold, ta, fa } = detail;
  const slider = article.querySelector(".slider");
  const value = article.querySelector(".controls output");
  const outcome = article.querySelector(".outcome");
  const costOutput = article.querySelector(".cost");
  const inputs = [...article.querySelectorAll("[data-price]")];
  const cells = Object.fromEntries([...article.querySelectorAll("[data-cell]")].map((cell) => [cell.dataset.cell, cell]));

  function prices() {
    const given = inputs.map((input) => (input.value.trim() === "" ? NaN : Number(input.value)));
    return given.every((price) => Number.isFinite(price) && price >= 0) ? given : null;
  }
  // Verification, correction and errors of imperfect people, for 1,000 outputs.
  function cost(at, [verification, correction, error]) {
    // Items with a price of their own have no other price. `where` says whether they are accepted first, never accepted, or not among the items.
    const [lost, price, where] = detail.apart ?? [0, 0, "outside"];
    const unseen = where === "accepted" && at > 0 ? lost : 0;
    const fr = right - ta[at];
    const tr = total - right - fa[at] - (where === "outside" ? 0 : lost - unseen);
    const corrected = detection * tr + falseAlarm * fr;
    const remaining = fa[at] - unseen + (1 - detection) * tr + falseAlarm * fr;
    return 1000 * (verification * (fr + tr) + correction * corrected + error * remaining + price * lost) / total;
  }
  function cheapest(given) {
    let best = 0;
    let least = Infinity;
    for (let at = 0; at < ta.length; at++) {
      const here = cost(at, given);
      if (here <= least) [best, least] = [at, here];
    }
    return best;
  }
  function show() {
    const at = Number(slider.value);
    const accepted = ta[at] + fa[at];
    const people = total - accepted;
    value.textContent = at === 0 ? "∞ (accept nothing)" : threshold[at];
    slider.setAttribute("aria-valuetext", at === 0 ? "accept nothing" : `confidence at least ${threshold[at]}, ${percent(accepted / total)} accepted`);
    const found = { ta: ta[at], fa: fa[at], accepted, fr: right - ta[at], tr: total - right - fa[at], rejected: people };
    for (const [name, cell] of Object.entries(cells)) cell.textContent = count(found[name]);
    const errors = accepted ? `${count(fa[at])} of them wrong: ${percent(fa[at] / total)} of all, ${percent(fa[at] / accepted)} of the accepted` : "none of them wrong";
    outcome.textContent = `${count(accepted)} of ${count(total)} ${units} (${percent(accepted / total)}) go through unchecked, ${errors}. People verify ${count(people - missed)}${missed ? `, look for the ${count(missed)} missed` : ""} and correct ${count(+(detection * found.tr + falseAlarm * found.fr).toFixed(1))}.`;
    const given = prices();
    article.querySelector("[data-cheapest]").disabled = !given;
    if (!given) {
      costOutput.textContent = "Enter what these cost, in any unit of money, to see the cost at each threshold and the cheapest one.";
      return;
    }
    const best = cheapest(given);
    costOutput.replaceChildren(element("b", "", money(cost(at, given))), " here; ", `${money(cost(0, given))} where everything is verified; the least cost is ${money(cost(best, given))}, `,
      best === 0 ? "where everything is verified." : best === ta.length - 1 ? "where everything goes through." : `at confidence ≥ ${threshold[best]}.`);
  }
  slider.disabled = false;
  slider.addEventListener("input", show);
  for (const input of inputs) input.addEventListener("input", show);
  for (const button of article.querySelectorAll("[data-step]")) {
    button.disabled = false;
    button.addEventListener("click", () => { slider.value = button.dataset.step; show(); });
  }
  article.querySelector("[data-cheapest]").addEventListener("click", () => {
    const given = prices();
    if (given) { slider.value = cheapest(given); show(); }
  });
  show();
}

const articles = [...document.querySelectorAll("article.model")];
articles.forEach(thresholds);

const chooser = document.querySelector(".chooser");
function choose() {
  const chosen = chooser.querySelector("input:checked").value;
  for (const article of articles) article.hidden = article.id !== chosen;
  drawAll();
}
if (chooser) {
  chooser.hidden = false;
  chooser.addEventListener("change", choose);
  choose();
}
drawAll();

// Colours are read when a chart is drawn, so draw again when they change. A printed page is light, and has all models.
const redraw = () => charts.forEach((u) => u.redraw(false));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
addEventListener("beforeprint", () => {
  document.documentElement.dataset.print = "";
  articles.forEach((article) => { article.hidden = false; });
  drawAll();
  redraw();
});
addEventListener("afterprint", () => {
  delete document.documentElement.dataset.print;
  if (chooser) choose();
  redraw();
});
document.documentElement.dataset.ready = "yes";
})();
