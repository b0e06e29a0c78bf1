// The inner loops of the scan. Each computes exactly what its plain form in
// kernel.go computes; TestKernels and FuzzKernels hold them together.

#include "textflag.h"

// How far ahead of the row codes are fetched, in bytes of each stream.
#define AHEAD 1024

// dotsAVX2 and dotsVNNI take four slots in each round of the outer loop, one from each
// stream.
//
// DI dst, SI codes of stream 0, BX and R9 distance to streams 1 and 3 (stream 2
// is 2*BX), DX query, R11 place in it, CX groups left, R8 stride, R12 codes left.

// 32 codes of each slot in each round of the inner loop.
//
// func dotsAVX2(dst *int32, codes *uint8, digits *int16, groups, stride int, offset int32)
TEXT ·dotsAVX2(SB), NOSPLIT, $0-44
	MOVQ dst+0(FP), DI
	MOVQ codes+8(FP), SI
	MOVQ digits+16(FP), DX
	MOVQ groups+24(FP), CX
	MOVQ stride+32(FP), R8
	MOVL offset+40(FP), AX
	VMOVD AX, X15
	VPBROADCASTD X15, X15
	MOVQ R8, BX
	SHLQ $8, BX // blockRows/4 rows
	LEAQ (BX)(BX*2), R9

group:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ  DX, R11
	MOVQ  R8, R12

step:
	VMOVDQU     (R11), Y8
	VMOVDQU     32(R11), Y9
	PREFETCHT0  AHEAD(SI)
	PREFETCHT0  AHEAD(SI)(BX*1)
	PREFETCHT0  AHEAD(SI)(BX*2)
	PREFETCHT0  AHEAD(SI)(R9*1)
	VPMOVZXBW   (SI), Y4
	VPMOVZXBW   (SI)(BX*1), Y5
	VPMOVZXBW   (SI)(BX*2), Y6
	VPMOVZXBW   (SI)(R9*1), Y7
	VPMADDWD    Y8, Y4, Y4
	VPMADDWD    Y8, Y5, Y5
	VPMADDWD    Y8, Y6, Y6
	VPMADDWD    Y8, Y7, Y7
	VPADDD      Y4, Y0, Y0
	VPADDD      Y5, Y1, Y1
	VPADDD      Y6, Y2, Y2
	VPADDD      Y7, Y3, Y3
	VPMOVZXBW   16(SI), Y4
	VPMOVZXBW   16(SI)(BX*1), Y5
	VPMOVZXBW   16(SI)(BX*2), Y6
	VPMOVZXBW   16(SI)(R9*1), Y7
	VPMADDWD    Y9, Y4, Y4
	VPMADDWD    Y9, Y5, Y5
	VPMADDWD    Y9, Y6, Y6
	VPMADDWD    Y9, Y7, Y7
	VPADDD      Y4, Y0, Y0
	VPADDD      Y5, Y1, Y1
	VPADDD      Y6, Y2, Y2
	VPADDD      Y7, Y3, Y3
	ADDQ        $32, SI
	ADDQ        $64, R11
	SUBQ        $32, R12
	JNZ         step

	// Add the eight parts of each of the four sums.
	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSUBD       X15, X0, X0
	VMOVDQU      X0, (DI)
	ADDQ         $16, DI
	DECQ         CX
	JNZ          group
	VZEROUPPER
	RET

// The query's digits are split in two signed bytes, high ones first; a sum is
// 256 times the sum with the high ones, plus the sum with the low ones. 64 codes
// in each round of the inner loop.
//
// func dotsVNNI(dst *int32, codes *uint8, halves *int8, groups, stride int, offset int32)
TEXT ·dotsVNNI(SB), NOSPLIT, $0-44
	MOVQ         dst+0(FP), DI
	MOVQ         codes+8(FP), SI
	MOVQ         halves+16(FP), DX
	MOVQ         groups+24(FP), CX
	MOVQ         stride+32(FP), R8
	MOVL         offset+40(FP), AX
	VMOVD        AX, X15
	VPBROADCASTD X15, X15
	MOVQ         R8, BX
	SHLQ         $8, BX           // blockRows/4 rows
	LEAQ         (BX)(BX*2), R9

group:
	VPXORD Z16, Z16, Z16
	VPXORD Z17, Z17, Z17
	VPXORD Z18, Z18, Z18
	VPXORD Z19, Z19, Z19
	VPXORD Z20, Z20, Z20
	VPXORD Z21, Z21, Z21
	VPXORD Z22, Z22, Z22
	VPXORD Z23, Z23, Z23
	MOVQ   DX, R11
	MOVQ   R8, R12

step:
	VMOVDQU64  (R11), Z8
	VMOVDQU64  (R11)(R8*1), Z9
	VMOVDQU64  (SI), Z4
	VMOVDQU64  (SI)(BX*1), Z5
	VMOVDQU64  (SI)(BX*2), Z6
	VMOVDQU64  (SI)(R9*1), Z7
	PREFETCHT0 AHEAD(SI)
	PREFETCHT0 AHEAD(SI)(BX*1)
	PREFETCHT0 AHEAD(SI)(BX*2)
	PREFETCHT0 AHEAD(SI)(R9*1)
	VPDPBUSD   Z8, Z4, Z16
	VPDPBUSD   Z8, Z5, Z17
	VPDPBUSD   Z8, Z6, Z18
	VPDPBUSD   Z8, Z7, Z19
	VPDPBUSD   Z9, Z4, Z20
	VPDPBUSD   Z9, Z5, Z21
	VPDPBUSD   Z9, Z6, Z22
	VPDPBUSD   Z9, Z7, Z23
	ADDQ       $64, SI
	ADDQ       $64, R11
	SUBQ       $64, R12
	JNZ        step

	VPSLLD        $8, Z16, Z16
	VPADDD        Z16, Z20, Z0
	VEXTRACTI64X4 $1, Z0, Y10
	VPADDD        Y10, Y0, Y0
	VPSLLD        $8, Z17, Z17
	VPADDD        Z17, Z21, Z1
	VEXTRACTI64X4 $1, Z1, Y11
	VPADDD        Y11, Y1, Y1
	VPSLLD        $8, Z18, Z18
	VPADDD        Z18, Z22, Z2
	VEXTRACTI64X4 $1, Z2, Y12
	VPADDD        Y12, Y2, Y2
	VPSLLD        $8, Z19, Z19
	VPADDD        Z19, Z23, Z3
	VEXTRACTI64X4 $1, Z3, Y13
	VPADDD        Y13, Y3, Y3
	VPHADDD       Y1, Y0, Y0
	VPHADDD       Y3, Y2, Y2
	VPHADDD       Y2, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPSUBD        X15, X0, X0
	VMOVDQU       X0, (DI)
	ADDQ          $16, DI
	DECQ          CX
	JNZ           group
	VZEROUPPER
	RET

// No fused multiply-add: it would round differently from the Go form.
//
// func overAVX2(dots *int32, scale, rest *float32, step, onRest, floor float32) uint64
TEXT ·overAVX2(SB), NOSPLIT, $0-48
	MOVQ         dots+0(FP), SI
	MOVQ         scale+8(FP), DX
	MOVQ         rest+16(FP), BX
	VBROADCASTSS step+24(FP), Y12
	VBROADCASTSS onRest+28(FP), Y13
	VBROADCASTSS floor+32(FP), Y14
	XORQ         DI, DI
	MOVQ         $8, CX // rounds of 8 slots

next:
	VCVTDQ2PS (SI), Y0
	VMULPS    (DX), Y0, Y0
	VMULPS    Y12, Y0, Y0
	VMULPS    (BX), Y13, Y1
	VADDPS    Y1, Y0, Y0
	VCMPPS    $0x1D, Y14, Y0, Y0 // greater or equal, ordered, quiet
	VMOVMSKPS Y0, AX
	ORQ       AX, DI
	RORQ      $8, DI             // after 8 rounds the first is lowest again
	ADDQ      $32, SI
	ADDQ      $32, DX
	ADDQ      $32, BX
	DECQ      CX
	JNZ       next
	MOVQ      DI, ret+40(FP)
	VZEROUPPER
	RET

// Lane j of the four registers has the products of the places that are j modulo
// 16. The products are exact in float64, so fusing changes no bit.
//
// func dotFMA(sums *[16]float64, x, y *float32, rounds int)
TEXT ·dotFMA(SB), NOSPLIT, $0-32
	MOVQ   sums+0(FP), DI
	MOVQ   x+8(FP), SI
	MOVQ   y+16(FP), DX
	MOVQ   rounds+24(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3

sixteen:
	VCVTPS2PD   (SI), Y4
	VCVTPS2PD   (DX), Y8
	VCVTPS2PD   16(SI), Y5
	VCVTPS2PD   16(DX), Y9
	VCVTPS2PD   32(SI), Y6
	VCVTPS2PD   32(DX), Y10
	VCVTPS2PD   48(SI), Y7
	VCVTPS2PD   48(DX), Y11
	VFMADD231PD Y4, Y8, Y0
	VFMADD231PD Y5, Y9, Y1
	VFMADD231PD Y6, Y10, Y2
	VFMADD231PD Y7, Y11, Y3
	ADDQ        $64, SI
	ADDQ        $64, DX
	DECQ        CX
	JNZ         sixteen
	VMOVUPD     Y0, (DI)
	VMOVUPD     Y1, 32(DI)
	VMOVUPD     Y2, 64(DI)
	VMOVUPD     Y3, 96(DI)
	VZEROUPPER
	RET
