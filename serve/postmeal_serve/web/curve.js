// Draw a glucose curve. The page calls the same API, with the same key, as any other client.
"use strict";

const at = (id) => document.getElementById(id);
const meal = [];

// The demo passes its key in the URL fragment, which browsers do not send to the server.
const handed = new URLSearchParams(location.hash.slice(1));
if (handed.has("key")) {
  at("key").value = handed.get("key");
  history.replaceState(null, "", location.pathname);
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

async function call(path, options = {}) {
  const headers = { Authorization: `Bearer ${at("key").value.trim()}`, ...options.headers };
  const answer = await fetch(path, { ...options, headers });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.message);
  return body;
}

// Return a function that shows the result or error of a task unless a newer call has started.
function latest(task) {
  let newest = 0;
  return async (...values) => {
    const mine = ++newest;
    try {
      const show = await task(...values);
      if (mine !== newest) return;
      at("problem").textContent = "";
      show();
    } catch (error) {
      if (mine === newest) at("problem").textContent = error.message;
    }
  };
}

// List matching foods: suggestions while the user types, search results with recipes on Enter.
const find = latest(async (path) => {
  const query = at("query").value.trim();
  const foods = query ? (await call(path + encodeURIComponent(query))).items : [];
  return () => at("found").replaceChildren(...foods.map((food) => element("li", {},
    element("button", { type: "button", onclick: () => add(food.id) },
      food.name, element("small", {}, about(food))))));
});
const suggest = () => find("/v1.2/foods/autocomplete?query=");
const search = () => find("/v1.2/foods?limit=8&query=");

function about({ brand_name, nutrients, servings }) {
  const parts = [brand_name];
  if (servings) parts.push(`${servings[0].quantity} ${servings[0].unit}`);
  if (nutrients.calories) parts.push(`${nutrients.calories.value.toFixed(0)} kcal`);
  if (nutrients.carbohydrates) parts.push(`${nutrients.carbohydrates.value.toFixed(0)} g carbohydrate`);
  return parts.filter(Boolean).join(", ");
}

const add = latest(async (id) => {
  const food = await call(`/v1.2/foods/${id}`);
  return () => {
    const serving = food.servings.find((one) => one.is_primary);
    meal.push({ food, serving, quantity: serving.quantity });
    at("query").value = "";
    at("found").replaceChildren();
    listMeal();
  };
});

function listMeal() {
  at("meal").replaceChildren(...meal.map((item, place) => {
    const quantity = element("input", { type: "number", min: 0, step: "any", value: item.quantity,
      ariaLabel: `Quantity of ${item.food.name}` });
    quantity.oninput = () => { item.quantity = quantity.valueAsNumber; predict(); };
    const unit = element("select", { ariaLabel: `Serving of ${item.food.name}` },
      ...item.food.servings.map((one) => element("option", { value: one.id, selected: one === item.serving }, one.unit)));
    unit.onchange = () => {
      item.serving = item.food.servings.find((one) => one.id === unit.value);
      item.quantity = item.serving.quantity;
      listMeal();
    };
    const remove = element("button", { type: "button", ariaLabel: `Remove ${item.food.name}`,
      onclick: () => { meal.splice(place, 1); listMeal(); } }, "×");
    return element("li", {}, element("span", { className: "name" }, item.food.name), quantity, unit, remove);
  }));
  predict();
}

const predict = latest(async () => {
  if (!meal.length) return () => { at("figures").replaceChildren(); at("chart").replaceChildren(); };
  const profile = {
    age: at("age").valueAsNumber,
    sex: at("sex").value,
    height: { value: at("height").valueAsNumber, unit: "cm" },
    weight: { value: at("weight").valueAsNumber, unit: "kg" },
  };
  if (at("activity").value) profile.activity_level = at("activity").value;
  if (at("condition").value) profile.health_conditions = [at("condition").value];
  const body = {
    user_profile: profile,
    foods: meal.map((item) => ({ id: item.food.id, serving: { id: item.serving.id }, quantity: item.quantity })),
    start_time: `${new Date().toISOString().slice(0, 10)}T${at("time").value || "12:00"}:00Z`,
  };
  const answer = await call("/v1.2/glucose/predictions?band=true", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  return () => draw(answer);
});

function draw({ points, impact_score, chart }) {
  const peak = points.reduce((best, point) => (point.value > best.value ? point : best));
  const carbs = meal.reduce((sum, item) => sum + (item.food.nutrients.carbohydrates?.value ?? NaN) *
    item.serving.scaling_factor * item.quantity / item.serving.quantity, 0);
  const figures = [
    ["Impact", element("span", { className: impact_score }, impact_score)],
    ["Peak", `${peak.value.toFixed(0)} mg/dL`],
    ["Time of peak", `${peak.minutes} min`],
    ["Usual range", `${chart.min}–${chart.max} mg/dL`],
  ];
  if (!Number.isNaN(carbs)) figures.push(["Carbohydrate", `${carbs.toFixed(0)} g`]);
  at("figures").replaceChildren(...figures.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));

  const low = Math.floor((Math.min(chart.min, ...points.map((point) => point.lower)) - 5) / 20) * 20;
  const high = Math.ceil((Math.max(chart.max, ...points.map((point) => point.upper)) + 5) / 20) * 20;
  const x = (minutes) => 50 + minutes / 120 * 575;
  const y = (value) => 345 - (value - low) / (high - low) * 318;
  const shape = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const line = (key, order) => order.map((point) => `${x(point.minutes)},${y(point[key])}`).join(" ");
  const shapes = [];
  const step = high - low > 240 ? 40 : 20;
  for (let value = low; value <= high; value += step) {
    shapes.push(shape("line", { class: "grid", x1: 50, x2: 625, y1: y(value), y2: y(value) }));
    shapes.push(shape("text", { x: 44, y: y(value) + 4, "text-anchor": "end" }, value));
  }
  points.forEach((point, place) => place % 2 ||
    shapes.push(shape("text", { x: x(point.minutes), y: 364, "text-anchor": "middle" }, `${point.minutes} min`)));
  shapes.push(shape("text", { x: 8, y: 12 }, "mg/dL"));
  shapes.push(shape("polygon", { class: "band",
    points: `${line("upper", points)} ${line("lower", [...points].reverse())}` }));
  [chart.min, chart.max].forEach((value) =>
    shapes.push(shape("line", { class: "range", x1: 50, x2: 625, y1: y(value), y2: y(value) })));
  shapes.push(shape("polyline", { class: "curve", points: line("value", points) }));
  points.forEach((point) => {
    const dot = shape("circle", { class: "dot", cx: x(point.minutes), cy: y(point.value), r: 4 });
    dot.append(shape("title", {}, `${point.minutes} min: ${point.value.toFixed(0)} mg/dL`));
    shapes.push(dot);
  });
  at("chart").replaceChildren(...shapes);
}

// Start with a meal, so that the page shows a curve as soon as it has a key.
const begin = latest(async () => {
  if (!at("key").value || meal.length) return () => {};
  const first = await Promise.all(["oatmeal", "banana"].map((words) =>
    call(`/v1.2/foods?limit=1&query=${words}`)));
  const ids = first.flatMap((page) => page.items.map((food) => food.id));
  const foods = await Promise.all(ids.map((id) => call(`/v1.2/foods/${id}`)));
  return () => {
    foods.forEach((food) => {
      const serving = food.servings.find((one) => one.is_primary);
      meal.push({ food, serving, quantity: serving.quantity });
    });
    listMeal();
  };
});

at("query").oninput = suggest;
at("query").onkeydown = ({ key }) => { if (key === "Enter") search(); };
at("key").onchange = begin;
["time", "age", "sex", "height", "weight", "activity", "condition"].forEach((id) => { at(id).oninput = predict; });
begin();
