// Made by the build from a manual page; see scripts/build/page-items.mjs.

declare module '*?keys' {
  const items: Readonly<Record<string, string>>
  export default items
}
