// The function behind a tool.
export const double = ({ n }) => ({ n: n * 2 })
