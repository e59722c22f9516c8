/** What the section Batch says. */
export default {
  title: 'Convert a folder',
  lead: 'Every file in it, and in the folders below. What comes out lies in one ZIP, in the same folders.',
  drop: 'Drop a folder anywhere on this page',
  choose: 'Choose a folder',
  steps: [
    'Bring a folder. Its files are listed with the folder that each lies in.',
    'Choose a target for each kind of them, and convert all.',
    'What failed can be tried again by itself; the rest waits.',
    'Download all as ZIP: the folders are as they were.',
  ],
  howTo: 'How it goes',
  inFolders: (files: number, folders: number) =>
    `${files === 1 ? '1 file' : `${files} files`} in ${folders === 1 ? '1 folder' : `${folders} folders`}`,
  tree: 'Folders',
  count: (done: number, total: number) => `${done} of ${total} done`,
  others: (count: number) =>
    count === 1 ? 'One more file came without a folder.' : `${count} more files came without a folder.`,
  toOthers: 'See all files',
}
