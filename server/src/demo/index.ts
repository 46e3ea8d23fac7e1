export { createDemo, type Demo } from "./create-demo.ts";
