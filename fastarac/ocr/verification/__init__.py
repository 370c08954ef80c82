"""What people verify of pages: drawn words, crops of images, pages to look at."""
