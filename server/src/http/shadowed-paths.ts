import type { Method } from "./route.ts";

/**
 * Paths such as `GET /leads/bulk`, where only POST exists: without a route of their own they would be taken for
 * `GET /leads/:id` and answered as a malformed id instead of as the unknown path that they are.
 */
export function shadowedPaths(
  routes: readonly { method: string; path: string }[],
): { method: Method; path: string }[] {
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const fixed = [...new Set(routes.map(({ path }) => path))].filter((path) => !path.includes(":"));
  const found: { method: Method; path: string }[] = [];
  for (const { method, path } of routes) {
    if (!path.includes(":")) continue;
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`);
    for (const candidate of fixed) {
      if (!pattern.test(candidate) || known.has(`${method} ${candidate}`)) continue;
      known.add(`${method} ${candidate}`);
      found.push({ method: method as Method, path: candidate });
    }
  }
  return found;
}
