// The bundled text of NAME.worker.ts, for a worker thread.
declare module '*.worker?text' {
  const text: string
  export default text
}
