// The text of a program for a child.
declare module '*.child.cjs' {
  const text: string
  export default text
}
