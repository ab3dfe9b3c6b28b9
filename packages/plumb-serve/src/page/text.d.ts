// Files that are imported as text: styles, and the script of the page.
declare module '*.css' {
  const text: string
  export default text
}
declare module '*.browser?text' {
  const text: string
  export default text
}
