/** What a walk has left out, for the end of a result. */
export const unseenNotes = ({ folders, names }: { readonly folders: number; readonly names: number }): string[] => [
  ...(folders > 0 ? [`[not looked at: ${folders} folders that cannot be opened or are too deep]`] : []),
  ...(names > 0 ? [`[not looked at: ${names} names in very large folders]`] : []),
]
