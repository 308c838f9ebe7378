"use strict";
(() => {
  const tip = document.getElementById("tip");
  const show = (dot) => {
    tip.textContent = dot.dataset.tip;
    tip.hidden = false;
    const place = dot.getBoundingClientRect();
    const left = Math.min(place.left + 12, window.innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.max(8, place.top - tip.offsetHeight - 8)}px`;
  };
  document.addEventListener("mouseover", (event) => {
    const dot = event.target.closest("[data-tip]");
    if (dot) show(dot); else tip.hidden = true;
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  window.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const compare = (a, b) => {
          const x = key(a), y = key(b), numeric = x !== "" && y !== "" && !isNaN(x) && !isNaN(y);
          return (numeric ? Number(x) - Number(y) : x.localeCompare(y)) * (down ? -1 : 1);
        };
        body.append(...[...body.rows].sort(compare));
      });
    });
  }

  // Charts: a view is a part of the drawing, [from, to] in x and in y, of [0, 1]; shapes are moved, ticks drawn anew.
  const CLOSEST = 1 / 200;
  const step = (span, wanted) => {
    const raw = span / wanted, power = 10 ** Math.floor(Math.log10(raw));
    return [1, 2, 2.5, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999);
  };
  const between = (low, high, by) => {
    const found = [];
    for (let k = Math.ceil(low / by - 1e-9); k * by <= high + by * 1e-9; k += 1) found.push(k * by);
    return found;
  };
  const text = (value) => Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 });
  const charts = new Map();
  const live = (svg, named) => {
    const [left, top, width, height] = svg.dataset.frame.split(" ").map(Number);
    const [low, high] = svg.dataset.range.split(" ").map(Number);
    const logarithmic = "logarithmic" in svg.dataset;
    const axes = svg.querySelector(".axes"), plot = svg.querySelector(".plot"), every = axes.innerHTML;
    const pairs = (shape) => shape.getAttribute("points").split(" ").map((p) => p.split(",").map(Number));
    const shapes = [...plot.querySelectorAll("polyline, polygon")].map((shape) => [shape, pairs(shape)]);
    const dots = [...plot.querySelectorAll(".dot")]
      .map((dot) => ({ dot, x: Number(dot.getAttribute("cx")), y: Number(dot.getAttribute("cy")) }));
    const whole = dots.every(({ x }) => Math.abs(low + (x - left) / width * (high - low) - Math.round(
      low + (x - left) / width * (high - low))) < 0.02);
    let view = [0, 1, 0, 1], chosen = null;
    const across = (x) => left + ((x - left) / width - view[0]) / (view[1] - view[0]) * width;
    const down = (y) => top + (view[3] - 1 + (y - top) / height) / (view[3] - view[2]) * height;
    const element = (name, attributes, content = "") => {
      const made = document.createElementNS(svg.namespaceURI, name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      made.textContent = content;
      return made;
    };
    const ticks = () => {
      const made = [];
      for (const value of between(view[2], view[3], step(view[3] - view[2], 4))) {
        const y = down(top + (1 - value) * height);
        made.push(element("line", { class: "grid", x1: left, x2: left + width, y1: y, y2: y }));
        made.push(element("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, `${text(value * 100)}%`));
      }
      const from = low + view[0] * (high - low), to = low + view[1] * (high - low);
      let values = between(from, to, Math.max(step(to - from, 6), whole && !logarithmic ? 1 : 0));
      if (logarithmic) {
        const decades = between(Math.floor(from), to, 1);
        values = to - from > 2 ? decades : decades.flatMap((k) => [k, k + Math.log10(2), k + Math.log10(5)]);
        if (to - from < 0.5) values = between(10 ** from, 10 ** to, step(10 ** to - 10 ** from, 4)).map(Math.log10);
        values = values.filter((value) => value >= from - 1e-9 && value <= to + 1e-9);
      }
      for (const value of values) {
        const x = across(left + (value - low) / (high - low) * width);
        const shown = text(logarithmic ? 10 ** value : value);
        made.push(element("text", { x, y: top + height + 18, "text-anchor": "middle" }, shown));
      }
      return made;
    };
    const draw = () => {
      for (const [shape, points] of shapes) {
        shape.setAttribute("points", points.map(([x, y]) => `${across(x)},${down(y)}`).join(" "));
      }
      for (const { dot, x, y } of dots) { dot.setAttribute("cx", across(x)); dot.setAttribute("cy", down(y)); }
      const all = view.join() === "0,1,0,1";
      if (all) axes.innerHTML = every; else axes.replaceChildren(...ticks());
      svg.classList.toggle("zoomed", !all);
      tip.hidden = true;
    };
    const part = (from, to) => {
      const span = Math.min(1, Math.max(CLOSEST, to - from));
      const start = Math.min(1 - span, Math.max(0, (from + to - span) / 2));
      return [start, start + span];
    };
    const look = (x0, x1, y0, y1) => { view = [...part(x0, x1), ...part(y0, y1)]; draw(); };
    const zoom = (factor, x = (view[0] + view[1]) / 2, y = (view[2] + view[3]) / 2) => look(
      x - (x - view[0]) * factor, x + (view[1] - x) * factor, y - (y - view[2]) * factor, y + (view[3] - y) * factor);
    const chart = { zoom, reset: () => look(0, 1, 0, 1), view: () => view };
    charts.set(svg, chart);

    svg.setAttribute("tabindex", "0");
    svg.setAttribute("aria-describedby", "hint");
    if (named) svg.setAttribute("aria-label", named);
    const choose = (one) => {
      chosen?.dot.classList.remove("chosen");
      chosen = one;
      const x = (one.x - left) / width, y = 1 - (one.y - top) / height;
      if (x < view[0] - 1e-9 || x > view[1] + 1e-9 || y < view[2] - 1e-9 || y > view[3] + 1e-9) chart.reset();
      one.dot.classList.add("chosen");
      show(one.dot);
    };
    const line = ({ dot }) => dot.getAttribute("class").replace(" chosen", "");
    const go = (key) => {
      if (!chosen) { if (dots.length) choose(dots[0]); return; }
      const same = dots.filter((one) => line(one) === line(chosen)), place = same.indexOf(chosen);
      if (key === "ArrowRight" || key === "ArrowLeft") {
        choose(same[Math.min(same.length - 1, Math.max(0, place + (key === "ArrowRight" ? 1 : -1)))]);
        return;
      }
      const lines = [...new Set(dots.map(line))];
      const next = lines[(lines.indexOf(line(chosen)) + (key === "ArrowDown" ? 1 : lines.length - 1)) % lines.length];
      const others = dots.filter((one) => line(one) === next);
      choose(others[Math.min(place, others.length - 1)]);
    };
    svg.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "+" || event.key === "=") zoom(0.6);
      else if (event.key === "-") zoom(1 / 0.6);
      else if (event.key === "0") chart.reset();
      else if (event.key.startsWith("Arrow")) go(event.key);
      else return;
      event.preventDefault();
    });
    svg.addEventListener("blur", () => { chosen?.dot.classList.remove("chosen"); chosen = null; tip.hidden = true; });

    const place = (event) => {
      const box = svg.getBoundingClientRect(), [, , wide, tall] = svg.getAttribute("viewBox").split(" ").map(Number);
      const x = (event.clientX - box.left) / box.width * wide, y = (event.clientY - box.top) / box.height * tall;
      return [Math.min(1, Math.max(0, (x - left) / width)), Math.min(1, Math.max(0, 1 - (y - top) / height))];
    };
    const inView = ([x, y]) => [view[0] + x * (view[1] - view[0]), view[2] + y * (view[3] - view[2])];
    let begun = null, frame = null;
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.pointerType === "touch") return;  // a finger scrolls
      begun = place(event);
    });
    svg.addEventListener("pointermove", (event) => {
      if (!begun) return;
      const [x, y] = place(event);
      frame ??= svg.appendChild(element("rect", { class: "frame" }));
      frame.setAttribute("x", left + Math.min(x, begun[0]) * width);
      frame.setAttribute("y", top + (1 - Math.max(y, begun[1])) * height);
      frame.setAttribute("width", Math.abs(x - begun[0]) * width);
      frame.setAttribute("height", Math.abs(y - begun[1]) * height);
    });
    window.addEventListener("pointerup", (event) => {
      if (!begun) return;
      const [a, b] = [inView(begun), inView(place(event))];
      const far = Math.abs(begun[0] - place(event)[0]) * width > 10 && Math.abs(begun[1] - place(event)[1]) * height > 10;
      begun = null;
      frame?.remove();
      frame = null;
      if (far) look(Math.min(a[0], b[0]), Math.max(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[1], b[1]));
    });
    svg.addEventListener("dblclick", chart.reset);
    return chart;
  };
  const button = (label, what, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "zoom";
    made.textContent = label;
    made.setAttribute("aria-label", what);
    made.addEventListener("click", act);
    return made;
  };
  const tools = (chart, name) => [
    button("+", `zoom in: ${name}`, () => chart.zoom(0.6)),
    button("\u2212", `zoom out: ${name}`, () => chart.zoom(1 / 0.6)),
    button("reset", `show all: ${name}`, chart.reset),
  ];
  window.addEventListener("beforeprint", () => { for (const chart of charts.values()) chart.reset(); });

  const dialog = document.getElementById("enlarged"), form = dialog.querySelector("form"), close = form.querySelector("button");
  for (const figure of document.querySelectorAll("figure")) {
    const title = figure.querySelector("h3"), name = title.textContent, svg = figure.querySelector(".chart");
    const bar = document.createElement("span");
    bar.className = "tools";
    bar.append(...tools(live(svg), name), button("enlarge", `enlarge: ${name}`, () => {
      charts.get(svg).reset();
      const fresh = svg.cloneNode(true);
      fresh.removeAttribute("aria-labelledby");
      fresh.querySelector("title").remove();
      const chart = live(fresh, name);
      fresh.addEventListener("wheel", (event) => {
        event.preventDefault();
        chart.zoom(event.deltaY < 0 ? 0.8 : 1.25);
      }, { passive: false });
      form.replaceChildren(...tools(chart, name), close);
      dialog.querySelector("div").replaceChildren(fresh, figure.querySelector(".legend").cloneNode(true));
      dialog.append(tip);
      dialog.showModal();
    }));
    title.append(bar);
  }
  dialog.addEventListener("close", () => {
    for (const svg of dialog.querySelectorAll(".chart")) charts.delete(svg);
    document.body.append(tip);
    tip.hidden = true;
  });
})();
