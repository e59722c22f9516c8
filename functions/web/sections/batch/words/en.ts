/** Texts of the Folders section. */
export default {
  title: 'Convert a folder',
  lead: 'Convert every file in a folder and its subfolders. You get one ZIP with the same folder structure.',
  drop: 'Drop a folder anywhere on this page',
  choose: 'Choose a folder',
  steps: [
    'Choose a folder. Its files are listed with their subfolders.',
    'Choose a format for each type of file, then convert all.',
    'Failed files can be retried on their own.',
    'Download everything as a ZIP, with the folder structure kept.',
  ],
  howTo: 'How it works',
  inFolders: (files: number, folders: number) =>
    `${files === 1 ? '1 file' : `${files} files`} in ${folders === 1 ? '1 folder' : `${folders} folders`}`,
  tree: 'Folders',
  count: (doneCount: number, total: number) => `${doneCount} of ${total} converted`,
  others: (count: number) =>
    count === 1 ? '1 more file is not in a folder.' : `${count} more files are not in a folder.`,
  toOthers: 'Show all files',
}
