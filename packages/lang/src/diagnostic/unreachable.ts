/** For the `default` of a switch over all forms of something: the compiler points here when a form is added and this switch lacks it. */
export const unreachable = (form: never): never => {
  throw new TypeError(`no such form: ${JSON.stringify(form)}`)
}
