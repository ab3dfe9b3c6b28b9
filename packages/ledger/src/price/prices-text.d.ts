// Made by the build from a library's table; see scripts/build/embed.mjs.

declare module '*.json?source' {
  const text: string
  export default text
}

declare module '*.json?prices' {
  const table: unknown
  export default table
}
