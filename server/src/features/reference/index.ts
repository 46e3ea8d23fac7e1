export { answerText } from "./answer-text.ts";
export { readDocument } from "./read-document.ts";
export { referenceRoutes } from "./reference.routes.ts";
