; inherits: typescript
; The scripts of a component; its markup is masked.
