export { MOST_TOKENS, Wallet, WalletCredit, WalletEntry } from "./billing.schema.ts";
export { changeThreshold } from "./change-threshold.ts";
export { creditWallet } from "./credit-wallet.ts";
export { openWallet } from "./open-wallet.ts";
export { readWallet } from "./read-wallet.ts";
