/** One group of points in a panel. */
export interface Series {
  name: string;
  color: string;
  points: { x: number; y: number; label?: string }[];
  /** Joins the points. */
  line: boolean;
}

export interface Panel {
  title: string;
  series: Series[];
}

const WIDTH = 460;
const HEIGHT = 380;
const LEFT = 52;
const RIGHT = 16;
const TOP = 40;
const BOTTOM = 50;
const LEGEND = 70;

/**
 * Panels side by side: the share of abandoned calls to the right, the seats' utilization upwards, both in percent. The same points make
 * the same file.
 */
export function plotPacing(
  panels: readonly Panel[],
  { mostX, fromY, toY, bound }: { mostX: number; fromY: number; toY: number; bound: number },
): string {
  const parts: string[] = [];
  const x = (value: number) => round(LEFT + (value / mostX) * (WIDTH - LEFT - RIGHT));
  const y = (value: number) =>
    round(HEIGHT - BOTTOM - ((value - fromY) / (toY - fromY)) * (HEIGHT - TOP - BOTTOM));
  const text = (at: { x: number; y: number }, words: string, more = "") =>
    `<text x="${round(at.x)}" y="${round(at.y)}" ${more}>${words}</text>`;

  panels.forEach(({ title, series }, index) => {
    parts.push(`<g transform="translate(${index * WIDTH} 0)">`);
    parts.push(text({ x: LEFT, y: TOP - 16 }, title, 'font-weight="bold"'));
    for (let value = 0; value <= mostX; value++) {
      parts.push(`<path d="M${x(value)} ${y(fromY)}V${y(toY)}" stroke="#e5e5e5"/>`);
      parts.push(text({ x: x(value), y: y(fromY) + 18 }, `${value} %`, 'text-anchor="middle"'));
    }
    for (let value = fromY; value <= toY; value += 10) {
      parts.push(`<path d="M${x(0)} ${y(value)}H${x(mostX)}" stroke="#e5e5e5"/>`);
      parts.push(text({ x: LEFT - 6, y: y(value) + 4 }, `${value} %`, 'text-anchor="end"'));
    }
    parts.push(`<path d="M${x(bound)} ${y(fromY)}V${y(toY)}" stroke="#b00020" stroke-dasharray="4 3"/>`);
    parts.push(text({ x: x(bound) + 4, y: y(toY) + 12 }, "the law's bound", 'fill="#b00020"'));
    parts.push(
      text(
        { x: x(mostX / 2), y: HEIGHT - 12 },
        "abandoned calls, of those that people answered",
        'text-anchor="middle"',
      ),
    );
    for (const { color, points, line } of series) {
      const shown = points.filter((point) => point.x <= mostX && point.y >= fromY && point.y <= toY);
      if (line)
        parts.push(
          `<path d="M${shown.map((point) => `${x(point.x)} ${y(point.y)}`).join("L")}" fill="none" stroke="${color}" stroke-width="1.5"/>`,
        );
      for (const point of shown) {
        parts.push(`<circle cx="${x(point.x)}" cy="${y(point.y)}" r="${line ? 2.5 : 5}" fill="${color}"/>`);
        if (point.label)
          parts.push(
            text({ x: x(point.x) + 6, y: y(point.y) + (line ? 12 : -8) }, point.label, `fill="${color}"`),
          );
      }
    }
    parts.push("</g>");
  });
  panels[0]?.series.forEach(({ name, color }, index) => {
    const at = { x: LEFT, y: HEIGHT + 14 + index * 18 };
    parts.push(
      `<circle cx="${at.x}" cy="${at.y - 4}" r="4" fill="${color}"/>`,
      text({ x: at.x + 10, y: at.y }, name),
    );
  });
  const width = WIDTH * panels.length;
  const height = HEIGHT + LEGEND;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" fill="#222">
<title>Utilization of the seats against abandoned calls</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${parts.join("\n")}
</svg>
`;
}

const round = (value: number) => Number(value.toFixed(1));
