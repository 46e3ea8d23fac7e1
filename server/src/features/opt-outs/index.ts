export { listTexts } from "./list-texts.ts";
export {
  InboundTextListQuery,
  InboundTextPage,
  OptOutReading,
  OptOutTest,
  ReceivedText,
  TextReceive,
} from "./opt-outs.schema.ts";
export { type ReceiveTextDeps, receiveText } from "./receive-text.ts";
export { recordOptOut } from "./record-opt-out.ts";
