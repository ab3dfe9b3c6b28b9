declare module '*.plumb' {
  const text: string
  export default text
}
