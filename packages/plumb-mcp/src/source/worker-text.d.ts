// All that a thread runs, as text; NAME.worker.ts is what it is made of.
declare module '*.worker?text' {
  const text: string
  export default text
}
