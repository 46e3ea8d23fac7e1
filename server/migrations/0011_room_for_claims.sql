-- With half of each page free, a tenth of the claims found no room beside their rows, and had to touch the indexes after all.
ALTER TABLE webhook_deliveries SET (fillfactor = 45);
