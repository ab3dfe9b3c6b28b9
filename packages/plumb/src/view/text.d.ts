// Files whose text is wanted: styles, and all that runs on a page.
declare module '*.css' {
  const text: string
  export default text
}
declare module '*.browser?text' {
  const text: string
  export default text
}
