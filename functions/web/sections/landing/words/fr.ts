import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  howTo: 'Comment ça marche',
  options: 'Options',
  questions: 'Questions',
  pages: {
    'pdf-to-word': {
      title: 'Convertir un PDF en Word',
      description:
        'Transforme un PDF en document Word modifiable, avec ses titres, ses tableaux et ses images.',
      lead: 'Obtenez un fichier DOCX modifiable, avec les titres, les tableaux et les images.',
      steps: [
        'Ajoutez un ou plusieurs fichiers PDF.',
        'Cliquez sur « Convertir en DOCX ».',
        'Téléchargez le document Word.',
      ],
      options: [
        'Convertissez seulement quelques pages, par exemple 1-5.',
        'Gardez la position exacte de chaque élément, ou un texte qui s’écoule pendant la saisie.',
        'Choisissez les langues des pages scannées.',
      ],
      questions: [
        [
          'Est-ce possible avec des PDF scannés ?',
          'Oui. Le texte des pages qui ne sont que des images est d’abord reconnu (OCR).',
        ],
        [
          'Est-ce possible avec un PDF verrouillé ?',
          'Oui, si vous connaissez le mot de passe : saisissez-le dans les options du fichier.',
        ],
        [
          'Quels programmes ouvrent le résultat ?',
          'Microsoft Word, LibreOffice Writer, Google Docs, Pages et d’autres qui ouvrent les fichiers DOCX.',
        ],
      ],
    },
    'merge-pdf': {
      title: 'Fusionner des fichiers PDF',
      description: 'Assemble plusieurs fichiers PDF en un seul, dans l’ordre de votre choix.',
      lead: 'Assemblez plusieurs PDF en un seul fichier, dans n’importe quel ordre.',
      steps: [
        'Ajoutez au moins deux fichiers PDF.',
        'Mettez-les dans le bon ordre.',
        'Fusionnez-les et téléchargez un seul PDF.',
      ],
      options: [
        'Prenez seulement quelques pages de chaque fichier, par exemple 1-3, 7.',
        'Changez l’ordre en faisant glisser les fichiers ou au clavier.',
        'Assemblez de la même façon des images, des fichiers audio ou des vidéos.',
      ],
      questions: [
        [
          'La qualité change-t-elle ?',
          'Non. Les pages sont copiées telles quelles, avec leur texte, leurs images et leurs liens.',
        ],
        [
          'Les signets sont-ils conservés ?',
          'Oui, chaque fichier garde ses propres signets dans le PDF fusionné.',
        ],
      ],
    },
    'compress-pdf': {
      title: 'Compresser un PDF',
      description: 'Allège un PDF pour l’e-mail et les formulaires d’envoi.',
      lead: 'Allégez vos PDF pour l’e-mail et les formulaires d’envoi.',
      steps: [
        'Ajoutez un ou plusieurs fichiers PDF.',
        'Cliquez sur « Compresser un PDF ».',
        'Comparez les tailles et téléchargez le résultat.',
      ],
      options: [
        'Choisissez entre la meilleure qualité et le plus petit fichier.',
        'Le texte et les dessins vectoriels restent nets ; seules les images sont compressées.',
      ],
      questions: [
        [
          'De combien le fichier est-il allégé ?',
          'Cela dépend des images : les scans et les photos maigrissent beaucoup, le texte seul très peu.',
        ],
        [
          'Et si le fichier ne peut pas être allégé ?',
          'Vous récupérez alors votre fichier inchangé, et la page vous le dit.',
        ],
      ],
    },
    'jpg-to-pdf': {
      title: 'Convertir un JPG en PDF',
      description: 'Transforme des photos et des scans JPG en fichiers PDF.',
      lead: 'Transformez photos et scans en PDF à imprimer ou à envoyer.',
      steps: [
        'Ajoutez vos images, ou prenez une photo avec votre téléphone.',
        'Cliquez sur « Convertir en PDF ».',
        'Téléchargez le PDF.',
      ],
      options: [
        'Choisissez le format de papier, les marges et l’orientation.',
        'Les images PNG, HEIC, WebP et autres conviennent aussi.',
      ],
      questions: [
        ['La qualité change-t-elle ?', 'Non. Un JPG est placé dans le PDF sans être compressé à nouveau.'],
        [
          'Puis-je obtenir toutes les images dans un seul PDF ?',
          'Oui. Ajoutez plusieurs images, choisissez PDF pour toutes et appuyez sur « Assembler … images dans un seul PDF ».',
        ],
      ],
    },
    'heic-to-jpg': {
      title: 'Convertir un HEIC en JPG',
      description: 'Transforme les photos HEIC d’un iPhone en images JPG qui s’ouvrent partout.',
      lead: 'Transformez les photos d’iPhone en images JPG qui s’ouvrent partout.',
      steps: [
        'Ajoutez une ou plusieurs photos HEIC.',
        'Cliquez sur « Convertir en JPG ».',
        'Téléchargez-les une par une ou dans un ZIP.',
      ],
      options: [
        'Réglez la qualité et la taille en pixels.',
        'Conservez ou supprimez les données de l’appareil et le lieu (EXIF).',
      ],
      questions: [
        [
          'Combien de photos puis-je convertir à la fois ?',
          'Jusqu’à 2000 par sélection ; elles sont converties l’une après l’autre.',
        ],
        ['Les photos sont-elles dans le bon sens ?', 'Oui, l’orientation de l’appareil est appliquée.'],
      ],
    },
    'mp4-to-mp3': {
      title: 'Convertir un MP4 en MP3',
      description: 'Extrait le son d’une vidéo dans un fichier MP3.',
      lead: 'Enregistrez le son d’une vidéo dans un fichier MP3.',
      steps: [
        'Ajoutez un fichier MP4.',
        'Cliquez sur « Convertir en MP3 ».',
        'Téléchargez le fichier audio.',
      ],
      options: ['Coupez un extrait par son début et sa fin.', 'Réglez le débit audio et le volume.'],
      questions: [
        [
          'Les autres vidéos conviennent-elles aussi ?',
          'Oui : MOV, MKV, WebM, AVI et la plupart des autres formats vidéo.',
        ],
        [
          'Puis-je garder le son d’origine ?',
          'Oui. Choisissez M4A au lieu de MP3 : si le son de la vidéo est en AAC, il est copié sans changement.',
        ],
      ],
    },
    'video-to-gif': {
      title: 'Convertir une vidéo en GIF',
      description: 'Transforme un extrait de vidéo en GIF animé.',
      lead: 'Transformez un extrait de vidéo en GIF animé.',
      steps: [
        'Ajoutez une vidéo.',
        'Réglez le début et la fin dans les options.',
        'Cliquez sur « Convertir en GIF » et téléchargez-le.',
      ],
      options: [
        'Réglez la largeur et la fréquence d’images.',
        'Lecture en boucle, ou un certain nombre de fois.',
      ],
      questions: [
        [
          'Pourquoi le GIF est-il plus gros que la vidéo ?',
          'Le GIF compresse mal. Une largeur plus petite, une fréquence d’images plus basse ou un extrait plus court aident le plus.',
        ],
        [
          'Existe-t-il un meilleur format ?',
          'Le WebP animé est bien plus petit et fonctionne dans tous les navigateurs actuels.',
        ],
      ],
    },
    'scan-to-text': {
      title: 'Convertir un scan en texte',
      description:
        'Reconnaît le texte d’un scan ou d’une photo (OCR) : un PDF devient consultable, une image devient un fichier texte.',
      lead: 'Récupérez le texte d’une page scannée ou d’une photo.',
      steps: [
        'Ajoutez un PDF scanné ou une image, ou prenez une photo.',
        'Choisissez la langue du texte dans les options.',
        'Cliquez sur le bouton sous le fichier et téléchargez le résultat : un PDF consultable ou le texte d’une image.',
      ],
      options: [
        'Plus de 100 langues, et plusieurs à la fois.',
        'Convertissez seulement quelques pages d’un PDF.',
      ],
      questions: [
        [
          'Qu’est-ce qui améliore la reconnaissance ?',
          'Une image droite, nette et claire, et la bonne langue dans les options.',
        ],
        [
          'Puis-je obtenir le texte d’un PDF dans un fichier texte ?',
          'Oui. Reconnaissez d’abord le texte, puis convertissez le PDF consultable en TXT.',
        ],
      ],
    },
  },
}

export default words
