/** Texts of the landing pages. Other languages must have the same keys, or type checking fails. */
export default {
  howTo: 'How it works',
  options: 'Options',
  questions: 'Questions',
  pages: {
    'pdf-to-word': {
      title: 'Convert PDF to Word',
      description: 'Turn a PDF into a Word document that you can edit, with its headings, tables and images.',
      lead: 'Get a DOCX file that you can edit, with headings, tables and images.',
      steps: ['Add one or more PDF files.', 'Press “Convert to DOCX”.', 'Download the Word document.'],
      options: [
        'Convert only some pages, for example 1-5.',
        'Keep the exact position of everything, or text that flows as you type.',
        'Choose the languages of scanned pages.',
      ],
      questions: [
        [
          'Does it work with scanned PDFs?',
          'Yes. Pages that are only images go through text recognition (OCR) first.',
        ],
        [
          'Does it work with a locked PDF?',
          'Yes, if you know the password: enter it in the options of the file.',
        ],
        [
          'Which programs open the result?',
          'Microsoft Word, LibreOffice Writer, Google Docs, Pages and others that open DOCX files.',
        ],
      ],
    },
    'merge-pdf': {
      title: 'Merge PDF files',
      description: 'Combine several PDF files into one, in the order that you choose.',
      lead: 'Combine several PDFs into one file, in any order.',
      steps: [
        'Add two or more PDF files.',
        'Move them into the right order.',
        'Merge them and download one PDF.',
      ],
      options: [
        'Take only some pages of each file, for example 1-3, 7.',
        'Change the order by dragging or with the keyboard.',
        'Merge images, audio or video files in the same way.',
      ],
      questions: [
        ['Does the quality change?', 'No. Pages are copied as they are, with their text, images and links.'],
        ['Are bookmarks kept?', 'Yes, each file keeps its own bookmarks in the merged PDF.'],
      ],
    },
    'compress-pdf': {
      title: 'Compress a PDF',
      description: 'Make a PDF smaller for email and upload forms.',
      lead: 'Make PDFs smaller for email and upload forms.',
      steps: [
        'Add one or more PDF files.',
        'Press “Compress PDF”.',
        'Compare the sizes and download the result.',
      ],
      options: [
        'Choose between the best quality and the smallest file.',
        'Text and vector graphics stay sharp; only images are compressed.',
      ],
      questions: [
        [
          'How much smaller does it get?',
          'It depends on the images: scans and photos shrink a lot, plain text hardly.',
        ],
        ['What if it can’t get smaller?', 'Then you get your file back unchanged, and the page says so.'],
      ],
    },
    'jpg-to-pdf': {
      title: 'Convert JPG to PDF',
      description: 'Turn JPG photos and scans into PDF files.',
      lead: 'Turn photos and scans into PDFs to print or send.',
      steps: [
        'Add your images, or take a photo with your phone.',
        'Press “Convert to PDF”.',
        'Download the PDF.',
      ],
      options: [
        'Choose the paper size, margins and orientation.',
        'PNG, HEIC, WebP and other images work too.',
      ],
      questions: [
        ['Does the quality change?', 'No. A JPG is placed into the PDF without compressing it again.'],
        [
          'Can I get all images in one PDF?',
          'Yes. Add several images, choose PDF for all of them and press “Combine … images into one PDF”.',
        ],
      ],
    },
    'heic-to-jpg': {
      title: 'Convert HEIC to JPG',
      description: 'Turn HEIC photos from an iPhone into JPG images that open everywhere.',
      lead: 'Turn iPhone photos into JPG images that open everywhere.',
      steps: [
        'Add one or many HEIC photos.',
        'Press “Convert to JPG”.',
        'Download them one by one or as a ZIP.',
      ],
      options: [
        'Set the quality and the size in pixels.',
        'Keep or remove the camera data and location (EXIF).',
      ],
      questions: [
        [
          'How many photos can I convert at once?',
          'Up to 2000 per selection; they convert one after another.',
        ],
        ['Are photos rotated correctly?', 'Yes, the orientation of the camera is applied.'],
      ],
    },
    'mp4-to-mp3': {
      title: 'Convert MP4 to MP3',
      description: 'Extract the audio of a video as an MP3 file.',
      lead: 'Save the audio of a video as an MP3 file.',
      steps: ['Add an MP4 file.', 'Press “Convert to MP3”.', 'Download the audio file.'],
      options: ['Trim the audio to a start and end time.', 'Set the audio bitrate and the volume.'],
      questions: [
        ['Do other videos work too?', 'Yes: MOV, MKV, WebM, AVI and most other video formats.'],
        [
          'Can I keep the original audio?',
          'Yes. Choose M4A instead of MP3: if the video has AAC audio, it is copied unchanged.',
        ],
      ],
    },
    'video-to-gif': {
      title: 'Convert video to GIF',
      description: 'Turn a part of a video into an animated GIF.',
      lead: 'Turn a part of a video into an animated GIF.',
      steps: [
        'Add a video.',
        'Set the start and end time in the options.',
        'Press “Convert to GIF” and download it.',
      ],
      options: ['Set the width and the frame rate.', 'Loop forever or a number of times.'],
      questions: [
        [
          'Why is the GIF larger than the video?',
          'GIF compresses poorly. A smaller width, a lower frame rate or a shorter part helps most.',
        ],
        ['Is there a better format?', 'Animated WebP is much smaller and works in all current browsers.'],
      ],
    },
    'scan-to-text': {
      title: 'Convert a scan to text',
      description:
        'Recognize the text of a scan or photo (OCR): a PDF becomes searchable, an image becomes a text file.',
      lead: 'Get the text of a scanned page or a photo.',
      steps: [
        'Add a scanned PDF or an image, or take a photo.',
        'In the options, choose the language of the text.',
        'Press the button below the file and download the result: a searchable PDF, or the text of an image.',
      ],
      options: ['More than 100 languages, and several at once.', 'Convert only some pages of a PDF.'],
      questions: [
        [
          'What makes the recognition better?',
          'A straight, sharp and bright image, and the right language in the options.',
        ],
        [
          'Can I get the text of a PDF as a text file?',
          'Yes. Recognize its text first, then convert the searchable PDF to TXT.',
        ],
      ],
    },
  },
}
