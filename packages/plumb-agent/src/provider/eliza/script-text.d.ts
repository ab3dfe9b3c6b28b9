// Scripts are data: the bundler embeds them as the text they are.
declare module '*.script' {
  const text: string
  export default text
}
