import { type Static, Type } from "typebox";
import { Instant, nullable, Uuid } from "../../http/schema.ts";

/** Tokens that one credit or debit may move, and that a threshold may name. */
export const MOST_TOKENS = 1_000_000_000_000;
/** A balance stays far below 2^53, so that every sum of two amounts is exact in JavaScript. */
export const HIGHEST_BALANCE = 1_000_000_000_000_000;

export const WalletEntry = Type.Object(
  {
    id: Uuid,
    transfer_id: Uuid,
    kind: Type.String({ description: "Open set: `credit`, `debit`" }),
    tokens: Type.Integer({ description: "Into the wallet; negative out of it" }),
    balance: Type.Integer({ description: "The balance after this entry" }),
    note: nullable(Type.String()),
    actor: Type.String({ description: "Who did it" }),
    idempotency_key: nullable(Type.String({ description: "The one it was sent with" })),
    created_at: Instant,
  },
  { "x-name": "WalletEntry" },
);
export type WalletEntry = Static<typeof WalletEntry>;

export const WalletHold = Type.Object(
  {
    call_id: Uuid,
    tokens: Type.Integer({ description: "Set aside for the call until it ends" }),
    created_at: Instant,
  },
  { "x-name": "WalletHold" },
);
export type WalletHold = Static<typeof WalletHold>;

export const Wallet = Type.Object(
  {
    organization_id: Uuid,
    balance: Type.Integer({ description: "Tokens" }),
    held: Type.Integer({ description: "The part of the balance that live calls have set aside" }),
    available: Type.Integer({ description: "`balance` less `held`" }),
    threshold: Type.Integer({ description: "`billing.low_balance` fires when the balance falls to it" }),
    holds: Type.Array(WalletHold, {
      description: "What makes up `held`, a hold for each live call, newest first; 200 at most",
    }),
    entries: Type.Array(WalletEntry, { description: "The latest 50, newest first" }),
  },
  { "x-name": "Wallet" },
);
export type Wallet = Static<typeof Wallet>;

export const WalletCredit = Type.Object(
  {
    tokens: Type.Integer({
      minimum: -MOST_TOKENS,
      maximum: MOST_TOKENS,
      not: { const: 0 },
      description: "a whole number other than 0; negative debits",
    }),
    note: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
    idempotency_key: Type.Optional(
      nullable(
        Type.String({
          pattern: "^[\\x20-\\x7e]{1,255}$",
          description:
            "1 to 255 printable ASCII characters; the same key again changes nothing and answers the same",
        }),
      ),
    ),
  },
  { additionalProperties: false, "x-name": "WalletCredit" },
);
export type WalletCredit = Static<typeof WalletCredit>;
