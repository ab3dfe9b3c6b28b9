// The text of a program that runs in a child.
declare module '*.child.cjs' {
  const text: string
  export default text
}
declare module '*.child.py' {
  const text: string
  export default text
}
