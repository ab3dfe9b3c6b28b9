// The bundler embeds them as text.
declare module '*.peg' {
  const text: string
  export default text
}
declare module '*.md' {
  const text: string
  export default text
}
