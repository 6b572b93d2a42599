// Draws the charts of the page from the JSON in #charts. Figures are computed before; here they only get a shape.
"use strict";
(() => {
  const NARROW_PIXELS = 640;
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paper = {
    light: { ink: "#1b1f24", faint: "#57606a", line: "#d0d7de", paper: "#ffffff" },
    dark: { ink: "#e6edf3", faint: "#9aa4ae", line: "#3d444d", paper: "#0d1117" },
  };
  const SYMBOLS = ["circle", "rect", "triangle", "diamond", "emptyCircle", "emptyRect", "emptyTriangle", "emptyDiamond"];
  const DASHES = ["solid", "dashed", "dotted"];
  const drawn = [];
  let printing = false;

  // One name has one colour in all charts, so a peer can be followed from one to the next.
  const names = [...new Set(charts.flatMap(chart => chart.categories.length && chart.kind === "BARS"
    ? chart.categories : chart.panels.flatMap(panel => panel.series.map(series => series.name))))];
  const theme = () => (dark.matches && !printing ? paper.dark : paper.light);
  const colour = name => {
    const hue = (210 + names.indexOf(name) * 137.5) % 360;
    return theme() === paper.dark ? `hsl(${hue}, 70%, 65%)` : `hsl(${hue}, 65%, 40%)`;
  };

  // What is no finite number was written as text: NaN, Infinity.
  const number = value => (typeof value === "number" ? value : null);
  const format = value => (value === null ? "–" : value.toLocaleString("en", { maximumSignificantDigits: 4 }));
  const escape = text => echarts.format.encodeHTML(String(text));
  const usable = (value, panel) => (panel.isLogarithmic && value !== null && value <= 0 ? null : value);

  const words = (name, point, unit) => {
    const low = number(point.low), high = number(point.high);
    const range = low === null || high === null ? "" : ` [${format(low)} – ${format(high)}]`;
    return `${escape(name)}: <b>${format(number(point.value))}</b>${range} ${escape(unit)}`;
  };

  const axisLook = () => ({
    axisLabel: { color: theme().ink },
    axisLine: { lineStyle: { color: theme().faint } },
    splitLine: { lineStyle: { color: theme().line } },
    nameTextStyle: { color: theme().faint },
  });

  const valueAxis = (panel, index, isHorizontal) => ({
    ...axisLook(),
    type: panel.isLogarithmic ? "log" : "value",
    name: panel.unit,
    nameLocation: isHorizontal ? "middle" : "end",
    nameGap: isHorizontal ? 28 : 12,
    nameTextStyle: { color: theme().faint, align: isHorizontal ? "center" : "left" },
    gridIndex: index,
    splitNumber: 4,
    axisLabel: { color: theme().ink, hideOverlap: true, formatter: value => format(value) },
  });

  const commonAxis = (chart, index) => (chart.kind === "TIME"
    ? { ...axisLook(), type: "value", name: "seconds", nameLocation: "middle", nameGap: 28, gridIndex: index }
    : {
        ...axisLook(),
        type: "category",
        data: chart.categories,
        gridIndex: index,
        inverse: chart.kind === "BARS",
        axisTick: { alignWithLabel: true },
        boundaryGap: chart.kind !== "LINES",
        axisLabel: chart.kind === "BARS"
          ? { color: theme().ink, interval: 0, width: 150, overflow: "truncate" }
          : { color: theme().ink, hideOverlap: true },
        splitLine: { show: false },
      });

  // The interval of a value: a line from its low to its high end, with a stroke across each.
  const whisker = (chart, panel, slot, slots) => (params, api) => {
    const position = api.value(0);
    const ends = [api.coord(chart.kind === "BARS" ? [api.value(1), position] : [position, api.value(1)]),
      api.coord(chart.kind === "BARS" ? [api.value(2), position] : [position, api.value(2)])];
    const shift = chart.kind === "GROUPS"
      ? api.barLayout({ count: slots, barGap: "10%", barCategoryGap: "20%" })[slot].offsetCenter : 0;
    const line = (x1, y1, x2, y2) => ({
      type: "line",
      shape: { x1, y1, x2, y2 },
      style: { stroke: chart.kind === "LINES" ? api.visual("color") : theme().ink, lineWidth: 1.5 },
    });
    const [[ax, ay], [bx, by]] = ends;
    const children = chart.kind === "BARS"
      ? [line(ax, ay, bx, by), line(ax, ay - 4, ax, ay + 4), line(bx, by - 4, bx, by + 4)]
      : [line(ax + shift, ay, bx + shift, by), line(ax + shift - 4, ay, ax + shift + 4, ay),
        line(bx + shift - 4, by, bx + shift + 4, by)];
    return { type: "group", children };
  };

  const whiskers = (chart, panel, series, index, slot, slots) => {
    const data = series.points
      .map(point => [point.x, usable(number(point.low), panel) ?? number(point.value), number(point.high)])
      .filter(([, low, high]) => low !== null && high !== null);
    return {
      type: "custom",
      name: series.name,
      color: colour(series.name),
      xAxisIndex: index,
      yAxisIndex: index,
      silent: true,
      clip: true,
      z: 5,
      dimensions: ["at", "low", "high"],
      encode: chart.kind === "BARS" ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
      data,
      renderItem: whisker(chart, panel, slot, slots),
    };
  };

  const bars = (chart, panel, series, index) => ({
    type: "bar",
    name: series.name,
    xAxisIndex: index,
    yAxisIndex: index,
    color: colour(series.name),
    barGap: "10%",
    barCategoryGap: chart.kind === "BARS" ? "35%" : "20%",
    data: series.points.map(point => {
      const name = chart.kind === "BARS" ? chart.categories[point.x] : series.name;
      const value = usable(number(point.value), panel);
      return {
        value: chart.kind === "BARS" ? [value, point.x] : [point.x, value],
        point,
        itemStyle: {
          color: colour(name),
          decal: series.isPublished
            ? { symbol: "rect", color: theme().paper, dashArrayX: [1, 0], dashArrayY: [3, 4], rotation: Math.PI / 4 }
            : { symbol: "none" },
        },
      };
    }),
  });

  const line = (chart, panel, series, index) => {
    const rank = Math.max(0, names.indexOf(series.name));
    return {
      type: "line",
      name: series.name,
      xAxisIndex: index,
      yAxisIndex: index,
      connectNulls: false,
      showSymbol: chart.kind === "LINES",
      symbol: SYMBOLS[rank % SYMBOLS.length],
      symbolSize: 7,
      lineStyle: { width: 2, type: DASHES[rank % DASHES.length] },
      color: colour(series.name),
      data: series.points.map(point => ({ value: [point.x, usable(number(point.value), panel)], point })),
    };
  };

  const seriesOf = chart => chart.panels.flatMap((panel, index) => panel.series.flatMap((series, slot) => {
    const isLine = chart.kind === "LINES" || chart.kind === "TIME";
    const shape = isLine ? line(chart, panel, series, index) : bars(chart, panel, series, index);
    return [shape, whiskers(chart, panel, series, index, slot, panel.series.length)];
  }));

  const tooltip = chart => ({
    trigger: chart.kind === "BARS" || chart.kind === "GROUPS" ? "item" : "axis",
    confine: true,
    backgroundColor: theme().paper,
    textStyle: { color: theme().ink },
    formatter: found => {
      const items = [found].flat().filter(item => item.data && item.data.point);
      if (items.length === 0) {
        return "";
      }
      const head = chart.kind === "TIME" ? `${format(items[0].data.point.x)} s` : chart.categories[items[0].data.point.x];
      return [escape(head), ...items.map(item => words(
        item.seriesName, item.data.point, chart.panels[chart.panels.length > 1 ? item.axisIndex ?? 0 : 0].unit))].join("<br>");
    },
  });

  const legendOf = chart => [...new Set(chart.panels.flatMap(panel => panel.series.map(series => series.name)))];

  // Panels stand side by side where there is room, else one below the other.
  const layout = (chart, width) => {
    const isNarrow = width < NARROW_PIXELS;
    const columns = isNarrow ? 1 : chart.panels.length;
    const rows = chart.panels.length / columns;
    const legend = chart.kind === "BARS" ? 0 : 26 * Math.ceil(legendOf(chart).length / Math.max(1, Math.floor(width / 200)));
    const plot = chart.kind === "BARS" ? 26 * chart.categories.length + 20 : 260;
    const left = chart.kind === "BARS" ? 165 : 75;
    const right = 25;
    const cell = width / columns;
    const grids = chart.panels.map((panel, index) => ({
      left: (index % columns) * cell + left,
      top: legend + 40 + Math.floor(index / columns) * (plot + 90),
      width: Math.max(60, cell - left - right),
      height: plot,
    }));
    return { grids, height: legend + rows * (plot + 90) };
  };

  const option = (chart, grids) => {
    const isHorizontal = chart.kind === "BARS";
    const common = chart.panels.map((panel, index) => commonAxis(chart, index));
    const values = chart.panels.map((panel, index) => valueAxis(panel, index, isHorizontal));
    return {
      animation: false,
      backgroundColor: "transparent",
      textStyle: { color: theme().ink },
      legend: {
        show: !isHorizontal,
        type: "plain",
        top: 0,
        data: legendOf(chart),
        // Bars of a group would close ranks while their intervals stayed.
        selectedMode: chart.kind !== "GROUPS",
        textStyle: { color: theme().ink, width: 210, overflow: "truncate" },
        inactiveColor: theme().line,
      },
      tooltip: tooltip(chart),
      grid: grids,
      xAxis: isHorizontal ? values : common,
      yAxis: isHorizontal ? common : values,
      series: seriesOf(chart),
    };
  };

  const draw = (entry, width) => {
    const { grids, height } = layout(entry.chart, width);
    entry.width = width;
    entry.element.style.height = `${height}px`;
    entry.view.resize({ width, height });
    entry.view.setOption(option(entry.chart, grids), true);
  };
  const drawAll = () => drawn.forEach(entry => draw(entry, entry.width));

  for (const element of document.querySelectorAll(".chart")) {
    const chart = charts[Number(element.dataset.chart)];
    const width = element.clientWidth || NARROW_PIXELS;
    const view = echarts.init(element, null, { renderer: "svg", width, height: 300 });
    const entry = { element, chart, view, width };
    drawn.push(entry);
    draw(entry, width);
    new ResizeObserver(() => {
      const now = element.clientWidth;
      if (!printing && now > 0 && now !== entry.width) {
        draw(entry, now);
      }
    }).observe(element);
  }
  dark.addEventListener("change", drawAll);

  // A4 landscape between its margins, in CSS pixels.
  const PRINT_PIXELS = 1000;
  addEventListener("beforeprint", () => {
    printing = true;
    drawn.forEach(entry => draw(entry, PRINT_PIXELS));
  });
  addEventListener("afterprint", () => {
    printing = false;
    drawn.forEach(entry => draw(entry, entry.element.clientWidth));
  });
})();
