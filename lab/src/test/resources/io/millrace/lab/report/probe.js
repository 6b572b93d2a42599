// Stands last in a copy of a report: writes down what the browser made of each chart.
"use strict";
addEventListener("load", () => setTimeout(() => {
  // Peers have colours; axes, grids and texts are nearly grey.
  const isColoured = paint => {
    const [red, green, blue] = (paint.match(/^rgba?\((.*)\)$/)?.[1] ?? "0, 0, 0").split(",").map(Number);
    return Math.max(red, green, blue) - Math.min(red, green, blue) > 60;
  };
  const marks = svg => [...svg.querySelectorAll("path, rect, circle, ellipse, line, polyline, polygon")].flatMap(shape => {
    const { fill, stroke, visibility } = getComputedStyle(shape);
    const { width, height, left, right, top, bottom } = shape.getBoundingClientRect();
    const frame = svg.getBoundingClientRect();
    const isInside = right > frame.left && left < frame.right && bottom > frame.top && top < frame.bottom;
    return isInside && visibility === "visible" ? [{ width, height, filled: isColoured(fill), stroked: isColoured(stroke) }] : [];
  });
  const charts = [...document.querySelectorAll(".chart")].map(element => {
    const svg = element.querySelector("svg");
    if (!svg) {
      return { width: 0, height: 0, bars: 0, lines: 0, texts: [] };
    }
    const { width, height } = svg.getBoundingClientRect();
    return {
      width,
      height,
      bars: marks(svg).filter(mark => mark.filled && mark.width > 0 && mark.height > 0).length,
      lines: marks(svg).filter(mark => mark.stroked && !mark.filled && mark.width > 30).length,
      texts: [...svg.querySelectorAll("text")].map(text => text.textContent),
    };
  });
  const told = document.createElement("pre");
  told.id = "told";
  told.textContent = encodeURIComponent(JSON.stringify({ charts }));
  document.body.append(told);
}, 100));
