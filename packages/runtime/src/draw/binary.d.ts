// The bundler embeds these as bytes.
declare module '*.wasm' {
  const bytes: Uint8Array
  export default bytes
}
declare module '*.ttf' {
  const bytes: Uint8Array
  export default bytes
}
