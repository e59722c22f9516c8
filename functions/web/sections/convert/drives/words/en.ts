/** Texts about cloud drives. */
const names: Readonly<Record<string, string>> = {
  'google-drive': 'Google Drive',
  dropbox: 'Dropbox',
  onedrive: 'OneDrive',
}

export default {
  names,
  from: (name: string) => `From ${name}`,
  title: (name: string) => `Files in ${name}`,
  close: 'Close',
  connect: 'Connect',
  notConnected: 'This drive is not connected.',
  refused: 'The drive was not connected because access was denied.',
  search: 'Search by name',
  find: 'Search',
  back: 'Back',
  files: 'Files',
  nothing: 'This folder is empty.',
  more: 'Load more',
  addFiles: (count: number) => (count === 1 ? 'Add 1 file' : `Add ${count} files`),
  busy: 'Please wait…',
  disconnect: 'Disconnect',
  importFailed: 'The files could not be imported from the drive.',
  saveTo: (name: string) => `Save to ${name}`,
  saveAllTo: (name: string) => `Save all to ${name}`,
  saveHere: (count: number) => (count === 1 ? 'Save 1 result here' : `Save ${count} results here`),
  saved: (name: string) => `Saved to ${name}.`,
  folders: 'Folders',
  noFolders: 'There are no folders in this folder.',
  saveFailed: 'The results could not be saved to the drive.',
}
