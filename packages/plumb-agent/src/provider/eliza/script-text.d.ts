// Scripts are data: the bundler embeds them as the text they are, or as `packScript` gives it.
declare module '*.script' {
  const text: string
  export default text
}
declare module '*.script?packed' {
  const packed: string
  export default packed
}
