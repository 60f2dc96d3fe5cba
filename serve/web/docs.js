// Draws the OpenAPI documents of both versions as a page, without anything from elsewhere.
"use strict";

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Text in which `this` stands for code.
const prose = (text) => element("span", {}, ...(text ?? "").split("`").map((part, place) =>
  (place % 2 ? element("code", {}, part) : part)));

const nameOf = (reference) => reference.split("/").pop();

// Says in a few words what a schema accepts.
function kind(schema) {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map(kind).join(" or ");
  if (schema.prefixItems) return `[${schema.prefixItems.map(kind).join(", ")}]`;
  if (schema.type === "array") return `array of ${kind(schema.items ?? {})}`;
  if (schema.properties) return `{${Object.keys(schema.properties).join(", ")}}`;
  return schema.type ?? "any";
}

function bounds(schema) {
  const said = [];
  const words = { minimum: "≥", maximum: "≤", exclusiveMinimum: ">", exclusiveMaximum: "<" };
  for (const [key, sign] of Object.entries(words)) if (key in schema) said.push(`${sign} ${schema[key]}`);
  if (schema.maxLength) said.push(`${schema.minLength ?? 0} to ${schema.maxLength} characters`);
  if (schema.maxItems) said.push(`${schema.minItems ?? 0} to ${schema.maxItems} entries`);
  if (schema.default !== undefined && schema.default !== null) said.push(`default ${schema.default}`);
  return said.join(", ");
}

function table(heads, rows) {
  const row = (tag, cells) => element("tr", {}, ...cells.map((cell) => element(tag, {}, cell)));
  return element("table", {}, element("thead", {}, row("th", heads)),
    element("tbody", {}, ...rows.map((cells) => row("td", cells))));
}

// The fields of a schema, and below them those of every schema that it names.
function fields(schema, schemas, seen = new Set()) {
  const parts = [];
  const visit = (one) => {
    if (one.$ref) {
      const name = nameOf(one.$ref);
      if (seen.has(name)) return;
      seen.add(name);
      const target = schemas[name];
      if (target.properties) {
        parts.push(element("h3", {}, name));
        if (target.description) parts.push(element("p", {}, prose(target.description)));
        parts.push(table(["Field", "", "Accepts", "About"], Object.entries(target.properties).map(([field, about]) =>
          [element("code", {}, field), target.required?.includes(field) ? "required" : "",
            [kind(about), bounds(about)].filter(Boolean).join(", "), prose(about.description)])));
        Object.values(target.properties).forEach(visit);
      }
    }
    [...(one.anyOf ?? []), ...(one.items ? [one.items] : [])].forEach(visit);
  };
  visit(schema);
  return parts;
}

function operation(method, path, about, schemas) {
  const body = about.requestBody?.content["application/json"];
  const success = Object.entries(about.responses).find(([status]) => status.startsWith("2"))[1];
  const answer = success.content?.["application/json"].schema;
  const scope = about.security[0].bearer[0];
  return element("details", {},
    element("summary", {}, element("span", { className: "verb" }, method.toUpperCase()),
      element("code", {}, path), ` — ${about.summary}`),
    about.deprecated ? element("p", { className: "old" }, "Deprecated: new callers use version 1.2.") : null,
    element("p", {}, prose(about.description)),
    element("p", {}, "Needs an API key of this version",
      ...(scope && !about.deprecated ? [", or a client token with the scope ", element("code", {}, scope)] : []), "."),
    ...(about.parameters ? [element("h2", {}, "Parameters"), table(["Name", "In", "", "Accepts", "About"],
      about.parameters.map((one) => [element("code", {}, one.name), one.in, one.required ? "required" : "",
        [kind(one.schema), bounds(one.schema)].filter(Boolean).join(", "), prose(one.description)]))] : []),
    ...(body ? [element("h2", {}, "Body"), ...fields(body.schema, schemas),
      element("h3", {}, "Example"), element("pre", {}, JSON.stringify(body.example, null, 2))] : []),
    ...(answer ? [element("h2", {}, "Answer"), ...fields(answer, schemas)] : []),
    element("h2", {}, "Statuses"), table(["Status", "Body"], Object.entries(about.responses).map(([status, one]) =>
      [status, one.content ? kind(one.content["application/json"].schema) : one.description])));
}

async function show() {
  const parts = [];
  for (const version of ["v1.2", "v1.1"]) {
    const document_ = await (await fetch(`/${version}/openapi.json`)).json();
    parts.push(element("h2", {}, `Version ${version.slice(1)}`));
    if (!parts.some((part) => part.id === "about")) {
      parts.push(element("p", { id: "about" }, prose(document_.info.description)));
    }
    for (const [path, verbs] of Object.entries(document_.paths)) {
      for (const [method, about] of Object.entries(verbs)) {
        parts.push(operation(method, path, about, document_.components.schemas));
      }
    }
  }
  document.getElementById("main").replaceChildren(...parts);
}

show().catch((error) => { document.getElementById("main").textContent = error.message; });
