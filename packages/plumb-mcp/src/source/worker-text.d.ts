// The whole code of a thread, as text, made from NAME.worker.ts.
declare module '*.worker?text' {
  const text: string
  export default text
}
