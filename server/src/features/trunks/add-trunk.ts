import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { NewId } from "../../ids.ts";
import { parseUri } from "../../voice/carriers/sip/index.ts";
import { recordAudit } from "../audit/index.ts";
import { readOrganization } from "../organizations/index.ts";
import { presentTrunk, type TrunkRow } from "./present-trunk.ts";
import type { TrunkAdd, TrunkRecord } from "./trunks.schema.ts";
import * as sql from "./trunks.sql.ts";

export interface TrunksDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
  /** To be called after each change: the carriers hear of it, here and in other processes. */
  trunksChanged(): void;
}

const PRIORITY = 10;

/** @throws DomainError invalid_request, organization_not_found */
export async function addTrunk(deps: TrunksDeps, input: TrunkAdd & { actor: string }): Promise<TrunkRecord> {
  const { host, port } = readServer(input.uri);
  if ((input.username === undefined) !== (input.password === undefined))
    throw new DomainError("invalid_request", "username and password belong together: give both, or neither.");
  const organization =
    input.organization_id === undefined ? null : await readOrganization(deps, input.organization_id);
  const trunk = await deps.database.transaction(async (transaction) => {
    const [row] = await transaction.query<TrunkRow>({
      ...sql.insertTrunk,
      values: [
        organization?.id ?? null,
        deps.newId(),
        input.name,
        host,
        port,
        input.transport ?? "udp",
        input.username ?? null,
        input.password ?? null,
        input.channels ?? null,
        input.cps ?? null,
        input.priority ?? PRIORITY,
        input.register ?? false,
        timestamp(deps.clock.now()),
      ],
    });
    if (organization) {
      await recordAudit(deps, transaction, {
        organizationId: organization.id,
        actor: input.actor,
        action: "trunk.added",
        subjectType: "trunk",
        subjectId: row!.id,
        details: { name: row!.name, host, transport: row!.transport },
      });
    }
    return presentTrunk(row!);
  });
  deps.trunksChanged();
  return trunk;
}

function readServer(text: string): { host: string; port: number | null } {
  const uri = parseUri(text);
  if (uri?.scheme !== "sip" || uri.user !== null || uri.params.size > 0 || text.includes("?")) {
    throw new DomainError(
      "invalid_request",
      "uri must be sip:HOST or sip:HOST:PORT, such as sip:127.0.0.1:5080. How to reach it is told by transport.",
    );
  }
  return { host: uri.host, port: uri.port };
}
