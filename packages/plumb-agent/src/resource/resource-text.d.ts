// The bundler embeds them as the text they are.
declare module '*.peg' {
  const text: string
  export default text
}
declare module '*.md' {
  const text: string
  export default text
}
