/** In words for operators. */
export function bindProblem({ address, port }: { address: string; port: number }, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const where = `SIP can't listen at ${address}:${port}`;
  if (code === "EADDRINUSE")
    return `${where}: another program has that port. Stop it, or set SIP_BIND to another address and port.`;
  if (code === "EADDRNOTAVAIL")
    return `${where}: this machine doesn't have that address. Set SIP_BIND to one that it has.`;
  return `${where}: ${error instanceof Error ? error.message : String(error)}.`;
}
